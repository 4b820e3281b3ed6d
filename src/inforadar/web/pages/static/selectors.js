// The selectors editor: a moment after the last key, what is caught is shown anew. Without it there is a button.

const WAIT_MS = 500;
const form = document.querySelector("form[data-selectors]");
const shown = document.querySelector("[data-preview]");
let timer = 0;
let asked = 0;

if (form && shown) {
  form.addEventListener("input", (event) => {
    if (["topic", "source", "cutoff"].includes(event.target.name)) return;
    clearTimeout(timer);
    timer = setTimeout(show, WAIT_MS);
  });
}

async function show() {
  const needed = [...form.querySelectorAll("input[required]")];
  if (needed.some((field) => !field.value.trim())) return;
  const number = ++asked;
  shown.setAttribute("aria-busy", "true");
  let text;
  try {
    const answer = await fetch(`${form.action}?part=1`, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    text = await answer.text();
  } catch {
    text = '<p class="warning">The server does not answer.</p>';
  }
  // An answer that was overtaken by another one is old.
  if (number !== asked) return;
  shown.replaceChildren(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
  shown.removeAttribute("aria-busy");
}
