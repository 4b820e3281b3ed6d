// The selectors editor: a moment after the last key, what is caught is shown anew. Without it there is a button.

import { _ } from "./texts.js";
import { localTimes } from "./times.js";

const WAIT_MS = 400;
const form = document.querySelector("form[data-selectors]");
const shown = document.querySelector("[data-preview]");
// A field may have the name of a method: `item`.
const field = (name) => form.elements.namedItem(name);
let timer = 0;
let asked = 0;

if (form && shown) {
  form.addEventListener("input", (event) => {
    if (["topic", "source", "cutoff"].includes(event.target.name)) return;
    clearTimeout(timer);
    timer = setTimeout(show, WAIT_MS);
  });
  shown.addEventListener("click", (event) => event.target.closest("[data-take-guesses]") && takeGuesses());
  offerGuesses();
}

// The address and "each item" are enough: the rest is guessed until it is written.
async function show() {
  if (field("url")?.value.trim() === "" || !field("item").value.trim()) return;
  const number = ++asked;
  shown.setAttribute("aria-busy", "true");
  let text;
  try {
    const answer = await fetch(`${form.action}?part=1`, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    text = await answer.text();
  } catch {
    text = `<p class="warning">${navigator.onLine ? _("The server does not answer.") : _("You are offline.")}</p>`;
  }
  // An answer that was overtaken by another one is old.
  if (number !== asked) return;
  shown.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
  shown.removeAttribute("aria-busy");
  localTimes(shown);
  offerGuesses();
}

function offerGuesses() {
  const button = shown.querySelector("[data-take-guesses]");
  if (button) button.hidden = false;
}

function takeGuesses() {
  for (const guess of shown.querySelectorAll("[data-guess]")) field(guess.dataset.guess).value = guess.textContent;
  show();
}
