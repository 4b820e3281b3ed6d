// What a page does beyond showing: local times, keys, marks without a reload. Reading works without any of it.

import { bindKeys } from "./keys.js";
import { localTimes } from "./times.js";

localTimes(document);
bindKeys();
showPictures();
boldNews();
keepPlace();

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
  const session = sessionStorage.getItem(key) ?? localStorage.getItem(key);
  if (session) {
    sessionStorage.setItem(key, session);
    for (const entry of entries) {
      if (entry.dataset.at > session && !entry.classList.contains("read")) entry.classList.add("new");
    }
  }
  localStorage.setItem(key, new Date().toISOString());
}

// From an article, back leads to the list as it was left.
function keepPlace() {
  if (document.body.dataset.section === "articles") {
    sessionStorage.setItem("list", location.pathname + location.search);
  }
  const back = document.querySelector("[data-back]");
  const list = sessionStorage.getItem("list");
  if (back && list) back.setAttribute("href", list);
}
