// The keyboard: the keys of the readers that people come from, and those of the terminal.

import { entries, loadMore, select } from "./lists.js";
import { markAbove, toggle, undoLast } from "./marks.js";
import { copyLink, hasArticle, turn } from "./panes.js";
import { csrf, root } from "./server.js";
import { foldSide } from "./side.js";
import { _ } from "./texts.js";
import { hideWords } from "./words.js";

const KEYS = [
  ["j k", _("Next and previous article")],
  ["n p", _("The same")],
  ["Enter o", _("Read it; in the article, o opens the original")],
  ["v", _("Open the original")],
  ["m", _("Mark as read or unread")],
  ["s", _("Star, or remove the star")],
  ["a", _("Archive it")],
  ["A", _("Mark all as read: these and older")],
  ["M", _("Mark all above as read")],
  ["z", _("Undo")],
  ["r", _("Load the list again")],
  ["c", _("Copy the link")],
  ["w", _("Show or hide marks on words")],
  ["u", _("Back to the list")],
  ["g a", _("All articles")],
  ["g u", _("Unread articles")],
  ["g s", _("Starred articles")],
  ["g f", _("Feeds")],
  ["/", _("Find")],
  ["Ctrl-k", _("Go to a feed, a search or a command")],
  ["[", _("Fold the sidebar")],
  ["?", _("This help")],
];
const CHORD_MS = 1500;
const PLACES = { a: "/?show=all", u: "/?show=unread", s: "/?show=starred", f: "/feeds" };
let chordUntil = 0;

export function bindKeys() {
  for (const help of document.querySelectorAll("[data-help]")) {
    help.hidden = false;
    help.addEventListener("click", showHelp);
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const isChord = performance.now() < chordUntil;
    chordUntil = 0;
    if (isChord && PLACES[event.key]) {
      event.preventDefault();
      location.assign(root + PLACES[event.key]);
      return;
    }
    const act = ACTIONS[event.key];
    if (act && act(event) !== false) event.preventDefault();
  });
}

const ACTIONS = {
  j: () => walk(1),
  k: () => walk(-1),
  n: () => walk(1),
  p: () => walk(-1),
  Enter: (event) => !event.target.closest("a, button, summary, label") && read(),
  o: () => (hasArticle() ? original() : read()),
  v: () => original(),
  m: () => mark("read"),
  s: () => mark("starred"),
  a: () => mark("archived"),
  A: () => press("[data-mark-list] button"),
  M: () => (current() && csrf ? (markAbove(current()), true) : false),
  z: () => undoLast(),
  r: () => reload(),
  c: () => copyLink(),
  w: () => hideWords(),
  g: () => ((chordUntil = performance.now() + CHORD_MS), true),
  "/": () => focus(document.querySelector("#q")),
  u: () => follow(document.querySelector("[data-back]")),
  "[": () => (document.querySelector(".side") ? (foldSide(), true) : false),
  "?": showHelp,
};

function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable], dialog") !== null;
}

const current = () => document.querySelector(".entry.at");

function walk(by) {
  return hasArticle() ? turn(by) : step(by);
}

function step(by) {
  const all = entries();
  if (!all.length) return false;
  const from = all.indexOf(current());
  const to = all[from < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(from + by, 0), all.length - 1)];
  select(to);
  to.querySelector("h2 a").focus({ preventScroll: true });
  to.scrollIntoView({ block: "nearest" });
  if (all.indexOf(to) > all.length - 5) loadMore();
  return true;
}

function read() {
  const link = current()?.querySelector("h2 a");
  if (!link) return false;
  link.click();
  return true;
}

function follow(link) {
  if (!link) return false;
  location.assign(link.href);
  return true;
}

function original() {
  const link = document.querySelector("[data-original]");
  const url = link?.href ?? current()?.dataset.url ?? "";
  if (!/^https?:\/\//i.test(url)) return false;
  window.open(url, "_blank", "noopener,noreferrer");
  return true;
}

function focus(field) {
  field?.focus();
  return Boolean(field);
}

function press(selector) {
  const button = document.querySelector(selector);
  button?.click();
  return Boolean(button);
}

function reload() {
  const news = document.querySelector("[data-reload-list]");
  if (news) news.click();
  else location.reload();
  return true;
}

function mark(name) {
  const url = document.querySelector('[data-pane="article"]')?.dataset.url ?? current()?.dataset.url;
  if (!csrf || !url) return false;
  toggle(url, name);
  return true;
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
    heading.textContent = _("Keys");
    const form = document.createElement("form");
    form.method = "dialog";
    const close = document.createElement("button");
    close.textContent = _("Close");
    form.append(close);
    dialog.append(heading, list, form);
    document.body.append(dialog);
  }
  dialog.showModal();
  return true;
}
