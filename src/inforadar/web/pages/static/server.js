// How a page speaks to its server: addresses below the root, changes with the session's token.

import { _, answered, ngettext } from "./texts.js";

const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? "";

export const root = meta("root");
export const csrf = meta("csrf");

// Sends a change; a refusal becomes an Error with the server's own sentence.
export async function send(method, path, body) {
  const answer = await fetch(root + path, {
    method,
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const document = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(answer.status === 429 ? refusal(answer) : document.error ?? refusal(answer));
  return document;
}

// What an answer that is no success means, as a sentence; of "too many requests" also when to try again.
export function refusal(answer) {
  if (answer.status !== 429) return answered(answer.status);
  const wait = secondsOf(answer.headers.get("Retry-After"));
  return wait > 90
    ? ngettext("Too much at once. Try again in %(num)s minute.", "Too much at once. Try again in %(num)s minutes.", Math.ceil(wait / 60))
    : ngettext("Too much at once. Try again in %(num)s second.", "Too much at once. Try again in %(num)s seconds.", wait);
}

// A wait is given in seconds, or as the time when it ends.
function secondsOf(given) {
  const wait = Number(given ?? NaN);
  const until = Number.isNaN(wait) ? (Date.parse(given) - Date.now()) / 1000 : wait;
  return Number.isNaN(until) ? 10 : Math.max(1, Math.ceil(until));
}

// What went wrong, as a sentence: a browser says "Failed to fetch" when nothing answers.
export function reason(fault) {
  if (!(fault instanceof TypeError)) return fault.message;
  return navigator.onLine ? _("The server does not answer. Nothing was changed.") : _("You are offline. Nothing was changed.");
}
