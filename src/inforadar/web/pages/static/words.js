// Marked words: one stop of the Tab key for all of them, arrows between them, and one key that hides them.

import { say } from "./say.js";
import { _ } from "./texts.js";

const words = () => [...document.querySelectorAll("mark.word")];

export function bindWords() {
  settle();
  document.addEventListener("article", settle);
  document.addEventListener("keydown", (event) => {
    const at = words().indexOf(event.target);
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (at < 0 || !by) return;
    event.preventDefault();
    const to = words()[(at + by + words().length) % words().length];
    for (const word of words()) word.tabIndex = word === to ? 0 : -1;
    to.focus();
  });
}

function settle() {
  words().forEach((word, number) => (word.tabIndex = number ? -1 : 0));
}

export function hideWords() {
  if (!words().length) return false;
  const page = document.documentElement;
  page.dataset.marks = page.dataset.marks === "off" ? "on" : "off";
  say(page.dataset.marks === "off" ? _("Marked words are plain now. w shows them.") : _("Loaded words are marked."));
  return true;
}
