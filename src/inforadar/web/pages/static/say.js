// What the page says at its bottom: a sentence, for 8 seconds with a way back where there is one.

import { _ } from "./texts.js";

const LASTS_MS = 8000;
let undoing = null;
let timer = 0;

export function say(sentence, undo) {
  let status = document.querySelector("p.status");
  if (!status) {
    status = document.createElement("p");
    status.className = "status";
    status.setAttribute("role", "status");
    document.body.append(status);
  }
  status.textContent = sentence;
  undoing = undo ?? null;
  if (undo) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = _("Undo");
    button.title = _("Key: z");
    button.addEventListener("click", undoLast);
    status.append(button);
  }
  clearTimeout(timer);
  timer = setTimeout(hush, LASTS_MS);
}

function hush() {
  document.querySelector("p.status")?.remove();
  undoing = null;
}

// Takes the last change back, as long as the page says so; else presses the button of a list that was marked.
export function undoLast() {
  const button = document.querySelector("[data-undo]");
  if (undoing) undoing();
  else if (button) button.click();
  else return false;
  hush();
  return true;
}
