// A fetch as it goes on, told by its events. Without this the page loads itself again.

import { csrf, root } from "./server.js";
import { _, locale, ngettext } from "./texts.js";

const MAX_LINES = 2000;
const WINDOW_MS = 5000;
const page = document.querySelector("[data-run]");
const log = page.querySelector("[data-log]");
const bar = page.querySelector("progress");
const words = page.querySelector("[data-words]");
const state = page.querySelector("[data-state]");
const stop = page.querySelector("[data-stop]");
const marks = [];
let isStopping = false;

const clock = (at) => new Date(at).toLocaleTimeString(locale, { hour12: false });
for (const time of log.querySelectorAll("time[data-clock]")) time.textContent = clock(time.dateTime);
log.scrollTop = log.scrollHeight;

const events = new EventSource(`${root}/api/runs/${page.dataset.run}/events?after=${page.dataset.after}`);
events.addEventListener("progress", (message) => {
  const event = JSON.parse(message.data);
  page.querySelector("[data-waiting]")?.remove();
  if (event.kind === "line") addLine(event);
  else if (event.kind !== "finished") showNumbers(event);
});
events.addEventListener("end", end);

stop?.addEventListener("submit", async (submit) => {
  submit.preventDefault();
  const button = stop.querySelector("button");
  button.disabled = true;
  button.textContent = _("Stopping …");
  isStopping = true;
  state.textContent = _("stopping");
  const answer = await fetch(stop.action, { method: "POST", headers: { "X-CSRF-Token": csrf } }).catch(() => null);
  if (!answer?.ok) {
    button.disabled = false;
    button.textContent = _("Stop");
    words.textContent = _("The server does not answer. Try again.");
  }
});

function addLine(event) {
  const follows = log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
  const line = document.createElement("li");
  const time = document.createElement("time");
  time.dateTime = event.at;
  time.textContent = clock(event.at);
  const label = document.createElement("span");
  label.className = "of";
  const name = document.createElement("bdi");
  name.textContent = event.label;
  label.append(name);
  const text = document.createElement("span");
  text.dir = "auto";
  text.textContent = event.text;
  line.append(time, " ", label, " ", text);
  log.append(line);
  if (log.children.length > MAX_LINES) log.firstElementChild.remove();
  if (follows) log.scrollTop = log.scrollHeight;
}

function showNumbers(event) {
  if (!isStopping) state.textContent = _("running");
  if (event.kind === "counting") {
    bar.removeAttribute("value");
    words.textContent = _("Counting… %(pages)s, %(items)s found", {
      pages: ngettext("%(num)s page", "%(num)s pages", event.pages),
      items: ngettext("%(num)s item", "%(num)s items", event.found),
    });
    return;
  }
  bar.value = event.found ? Math.min(1, event.done / event.found) : 1;
  const parts = [sum(event.done, event.found)];
  const rate = speed(Date.parse(event.at), event.done);
  if (rate > 0) {
    const left = Math.round((event.found - event.done) / rate);
    parts.push(rate >= 1 ? _("%(rate)s/s", { rate: rate.toFixed(0) }) : _("%(rate)s/s", { rate: rate.toFixed(1) }), _("%(time)s left", { time: `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` }));
  }
  words.textContent = parts.join("   ");
}

const sum = (done, found) => ngettext("%(done)s of %(num)s item", "%(done)s of %(num)s items", found, { done: done.toLocaleString(locale) });

// Items a second, lately.
function speed(at, done) {
  marks.push([at, done]);
  while (marks.length > 2 && at - marks[0][0] > WINDOW_MS) marks.shift();
  const [first, before] = marks[0];
  return at > first ? ((done - before) * 1000) / (at - first) : 0;
}

async function end() {
  events.close();
  const run = await fetch(`${root}/api/runs/${page.dataset.run}`).then((answer) => answer.json());
  const { found = 0, done = 0 } = run.details.progress ?? {};
  state.textContent = run.interrupted ? _("interrupted") : _("finished");
  bar.value = found ? done / found : 1;
  words.textContent = run.interrupted ? _("Interrupted: %(sum)s", { sum: sum(done, found) }) : _("Done: %(sum)s", { sum: sum(done, found) });
  stop?.remove();
  page.querySelector("[data-waiting]")?.remove();
  for (const link of page.querySelectorAll("[data-report], [data-again]")) link.hidden = false;
}
