// The page of a feed fills itself while it is fetched: the parts that changed are put in their place.

import { localTimes } from "./times.js";

const EVERY_MS = 1500;
const PATIENCE_MS = 20_000;
const TRIES = 400;
const began = Date.now();

if (isAwaited(document)) look(TRIES);

function isAwaited(page) {
  return page.querySelector("[data-awaited]") !== null;
}

function look(tries) {
  if (!tries) return;
  setTimeout(async () => {
    const answer = document.visibilityState === "visible" ? await fetch(location.pathname).catch(() => null) : null;
    if (!answer?.ok) return look(tries - 1);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    fill(page);
    if (isAwaited(page)) look(tries - 1);
    else history.replaceState(null, "", location.pathname + location.hash);
  }, EVERY_MS);
}

function fill(page) {
  const isStill = isAwaited(page);
  for (const part of document.querySelectorAll("[data-live]")) {
    const fresh = page.querySelector(`[data-live="${part.dataset.live}"]`);
    // While it is awaited, the sentence at the top stays as it is.
    if (!fresh || (isStill && part.dataset.live === "says") || fresh.innerHTML === part.dataset.was) continue;
    const open = part.querySelector("details")?.open;
    const copy = document.importNode(fresh, true);
    copy.dataset.was = fresh.innerHTML;
    if (open) copy.querySelector("details")?.setAttribute("open", "");
    part.replaceWith(copy);
    localTimes(copy);
  }
  const idle = document.querySelector("[data-no-worker]");
  const isRunning = page.querySelector("[data-running]") !== null;
  if (idle) idle.hidden = isRunning || Date.now() - began < PATIENCE_MS;
}
