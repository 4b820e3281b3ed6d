// The keyboard: the same keys as in the terminal where there is the same thing to do.

import { csrf, send } from "./server.js";

const KEYS = [
  ["j k", "Next and previous article"],
  ["Enter", "Read it"],
  ["o", "Open the original"],
  ["m", "Mark as read or unread"],
  ["s", "Star it, or not"],
  ["a", "Archive it"],
  ["/", "Find"],
  ["u", "Back to the list"],
  ["?", "This help"],
];

export function bindKeys() {
  const help = document.querySelector("[data-help]");
  if (help) {
    help.hidden = false;
    help.addEventListener("click", showHelp);
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const act = ACTIONS[event.key];
    if (act && act(event) !== false) event.preventDefault();
  });
}

const ACTIONS = {
  j: () => step(1),
  k: () => step(-1),
  Enter: (event) => !event.target.closest("a, button, summary, label") && follow(current()?.querySelector("h2 a")),
  o: () => follow(document.querySelector("[data-original]"), true) || openEntry(),
  m: () => mark("read"),
  s: () => mark("starred"),
  a: () => mark("archived"),
  "/": () => focus(document.querySelector("#q")),
  u: () => follow(document.querySelector("[data-back]")),
  "?": showHelp,
};

function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable], dialog") !== null;
}

const entries = () => [...document.querySelectorAll("[data-entries] .entry")];
const current = () => document.querySelector(".entry.at");

function step(by) {
  const all = entries();
  if (!all.length) return false;
  const from = all.indexOf(current());
  const to = all[from < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(from + by, 0), all.length - 1)];
  for (const entry of all) entry.classList.toggle("at", entry === to);
  to.querySelector("h2 a").focus({ preventScroll: true });
  to.scrollIntoView({ block: "nearest" });
  return true;
}

function follow(link, outside = false) {
  if (!link) return false;
  if (outside) window.open(link.href, "_blank", "noopener,noreferrer");
  else location.assign(link.href);
  return true;
}

function openEntry() {
  const url = current()?.dataset.url ?? "";
  if (!/^https?:\/\//i.test(url)) return false;
  window.open(url, "_blank", "noopener,noreferrer");
  return true;
}

function focus(field) {
  field?.focus();
  return Boolean(field);
}

function mark(name) {
  if (!csrf) return false;
  const button = document.querySelector(`[data-mark="${name}"]`);
  if (button) {
    button.click();
    return true;
  }
  const entry = current();
  if (!entry) return false;
  markEntry(entry, name);
  return true;
}

async function markEntry(entry, name) {
  const has = { read: entry.classList.contains("read"), starred: Boolean(entry.querySelector(".star")), archived: false };
  try {
    await send("PUT", "/api/marks", { urls: [entry.dataset.url], [name]: !has[name] });
  } catch (fault) {
    say(fault.message);
    return;
  }
  if (name === "read") {
    entry.classList.toggle("read", !has.read);
    entry.classList.remove("new");
  }
  if (name === "starred") toggleStar(entry, !has.starred);
  if (name === "archived") {
    step(entry.nextElementSibling ? 1 : -1);
    entry.remove();
  }
}

function toggleStar(entry, on) {
  entry.querySelector(".star")?.remove();
  if (!on) return;
  const star = document.createElement("span");
  star.className = "star";
  star.title = "Starred";
  star.textContent = "★";
  entry.querySelector("h2").append(" ", star);
}

export function say(sentence) {
  let status = document.querySelector("[role=status]");
  if (!status) {
    status = document.createElement("p");
    status.className = "status";
    status.setAttribute("role", "status");
    document.body.append(status);
  }
  status.textContent = sentence;
}

function showHelp() {
  let dialog = document.querySelector("dialog.help");
  if (!dialog) {
    dialog = document.createElement("dialog");
    dialog.className = "help";
    const list = document.createElement("dl");
    for (const [keys, says] of KEYS) {
      const row = document.createElement("div");
      const term = document.createElement("dt");
      const text = document.createElement("dd");
      for (const key of keys.split(" ")) {
        const cap = document.createElement("kbd");
        cap.textContent = key;
        term.append(cap, " ");
      }
      text.textContent = says;
      row.append(term, text);
      list.append(row);
    }
    const heading = document.createElement("h2");
    heading.textContent = "Keys";
    const form = document.createElement("form");
    form.method = "dialog";
    const close = document.createElement("button");
    close.textContent = "Close";
    form.append(close);
    dialog.append(heading, list, form);
    document.body.append(dialog);
  }
  dialog.showModal();
  return true;
}
