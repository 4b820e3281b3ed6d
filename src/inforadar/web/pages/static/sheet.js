// A side sheet: what a link with `data-sheet` leads to, shown beside the page. Without a script it is a plain link.
//
//   <a class="chip" href="/stories/1" data-sheet="5 outlets">5 outlets</a>     the <main> of that page
//   <a class="chip" href="/item/1#changes" data-sheet="What changed">…</a>     its element with that id
//
// Elements with `data-page-only` stay on the page: ways back, tools.

import { reason } from "./server.js";
import { _, answered } from "./texts.js";
import { localTimes } from "./times.js";

export function bindSheets() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-sheet]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    showSheet(link.href, link.dataset.sheet || link.textContent.trim());
  });
}

async function showSheet(address, title) {
  const sheet = makeSheet(address, title);
  document.body.append(sheet);
  sheet.showModal();
  const body = sheet.querySelector(".sheet-body");
  try {
    body.replaceChildren(...(await load(address)));
    localTimes(body);
  } catch (fault) {
    body.textContent = reason(fault);
  }
  body.removeAttribute("aria-busy");
}

async function load(address) {
  const { hash, href } = new URL(address);
  const isHere = href.split("#")[0] === location.href.split("#")[0];
  let page = document;
  if (!isHere) {
    const answer = await fetch(href);
    if (!answer.ok) throw new Error(answered(answer.status));
    page = new DOMParser().parseFromString(await answer.text(), "text/html");
  }
  const found = (hash && page.getElementById(hash.slice(1))) || page.querySelector("main");
  if (!found) throw new Error(_("There is nothing to show."));
  await addStyles(page);
  const copy = document.importNode(found, true);
  for (const node of copy.querySelectorAll("[data-page-only]")) node.remove();
  // An id stands for one element of a page.
  if (isHere) for (const node of copy.querySelectorAll("[id]")) node.removeAttribute("id");
  return copy.childNodes;
}

// The styles of a page come along with it, unless they are here.
function addStyles(page) {
  const known = new Set([...document.querySelectorAll('link[rel="stylesheet"]')].map((link) => link.getAttribute("href")));
  const missing = [...page.head.querySelectorAll('link[rel="stylesheet"]')].filter((link) => !known.has(link.getAttribute("href")));
  return Promise.all(missing.map((link) => new Promise((done) => {
    const copy = document.importNode(link);
    copy.addEventListener("load", done);
    copy.addEventListener("error", done);
    document.head.append(copy);
  })));
}

function makeSheet(address, title) {
  const sheet = document.createElement("dialog");
  sheet.className = "sheet";
  sheet.setAttribute("aria-label", title);
  const head = document.createElement("header");
  const heading = document.createElement("h2");
  heading.textContent = title;
  const page = document.createElement("a");
  page.className = "quiet";
  page.href = address;
  page.textContent = _("Open as a page");
  const close = document.createElement("button");
  close.className = "quiet";
  close.type = "button";
  close.textContent = _("Close");
  close.addEventListener("click", () => sheet.close());
  head.append(heading, page, close);
  const body = document.createElement("div");
  body.className = "sheet-body";
  body.setAttribute("aria-busy", "true");
  body.textContent = _("Loading…");
  sheet.append(head, body);
  // A click beside it lands on the dialog itself.
  sheet.addEventListener("click", (event) => event.target === sheet && sheet.close());
  sheet.addEventListener("close", () => sheet.remove());
  return sheet;
}
