// What a page does beyond showing: local times, keys, marks without a reload. Reading works without any of it.

import { bindKeys } from "./keys.js";
import { root } from "./server.js";
import { localTimes } from "./times.js";

localTimes(document);
bindKeys();
showPictures();
boldNews();
keepPlace();
turnTabs();
awaitArticle();

// With the setting "click", a picture is a link until somebody wants to see it.
function showPictures() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-picture]");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const image = document.createElement("img");
    image.referrerPolicy = "no-referrer";
    image.alt = link.dataset.alt;
    image.src = link.href;
    link.replaceWith(image);
  });
}

// New since the last visit: bold. The browser remembers when that was.
function boldNews() {
  const entries = document.querySelectorAll("[data-entries] .entry");
  if (!entries.length) return;
  const key = "last-visit";
  const last = sessionStorage.getItem(key) ?? localStorage.getItem(key);
  if (last) {
    sessionStorage.setItem(key, last);
    for (const entry of entries) {
      if (Number(entry.dataset.at) > Number(last) && !entry.classList.contains("read")) entry.classList.add("new");
    }
  }
  localStorage.setItem(key, Date.now());
}

// From an article, back leads to the list as it was left: the same filters, the same place.
function keepPlace() {
  const here = location.pathname + location.search;
  if (document.body.dataset.section !== "articles") {
    document.querySelector("[data-back]")?.setAttribute("href", sessionStorage.getItem("list") ?? `${root}/`);
    return;
  }
  const came = document.referrer.startsWith(`${location.origin}${root}/item/`);
  if (came && sessionStorage.getItem("list") === here) {
    document.querySelector(`.entry[data-id="${sessionStorage.getItem("at")}"]`)?.classList.add("at");
    scrollTo(0, Number(sessionStorage.getItem("place")));
  }
  addEventListener("pagehide", () => {
    sessionStorage.setItem("list", here);
    sessionStorage.setItem("place", scrollY);
    sessionStorage.setItem("at", document.querySelector(".entry.at")?.dataset.id ?? "");
  });
}

// Another view of the article opens where the reader is; without a script the page moves to it.
function turnTabs() {
  document.querySelector(".tab-names")?.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const place = scrollY;
    location.replace(link.hash);
    scrollTo(0, place);
  });
}

// An article that was asked for appears by itself, if it comes within two minutes.
function awaitArticle(tries = 40) {
  if (!document.querySelector("[data-awaited]") || !tries) return;
  setTimeout(async () => {
    const answer = await fetch(location.href).catch(() => null);
    if (answer?.ok && !(await answer.text()).includes("data-awaited")) location.replace(location.pathname);
    else awaitArticle(tries - 1);
  }, 3000);
}
