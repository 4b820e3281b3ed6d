// The palette, Ctrl-K or ⌘K: feeds, topics, searches and commands by a few letters of their names.

import { root } from "./server.js";
import { foldSide } from "./side.js";
import { _ } from "./texts.js";

const COMMANDS = [
  [_("All articles"), "/?show=all"],
  [_("Unread articles"), "/?show=unread"],
  [_("Starred articles"), "/?show=starred"],
  [_("Archived articles"), "/?show=archived"],
  [_("Stories"), "/stories"],
  [_("Feeds"), "/feeds"],
  [_("Add a feed"), "/add"],
  [_("Import and export OPML"), "/opml"],
  [_("Fetch now"), "/fetch"],
  [_("Runs"), "/runs"],
  [_("Statistics"), "/statistics"],
  [_("Settings"), "/settings"],
  [_("Account"), "/account"],
];
const KINDS = { feed: _("feed"), topic: _("topic"), go: _("go to"), do: _("command"), search: _("search"), saved: _("saved search") };
const MAX_SHOWN = 12;

export function bindPalette() {
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
}

const go = (address) => () => location.assign(root + address);

function commands() {
  const fold = { name: _("Fold or unfold the sidebar"), kind: "do", run: foldSide };
  return [...COMMANDS.map(([name, path]) => ({ name, kind: "go", run: go(path) })), ...(document.querySelector(".side") ? [fold] : [])];
}

// Feeds, topics and saved searches: the same on every page. Without an answer there are still the commands.
async function load() {
  const answer = await fetch(`${root}/palette`).catch(() => null);
  const { choices = [], more = false } = answer?.ok ? await answer.json() : {};
  return { found: choices.map(({ kind, name, href }) => ({ kind, name, run: go(href) })), more };
}

function open() {
  if (document.querySelector("dialog.palette")) return;
  let all = commands();
  let hasMore = false;
  const dialog = document.createElement("dialog");
  dialog.className = "palette";
  dialog.setAttribute("aria-label", _("Go to"));
  const field = document.createElement("input");
  field.type = "text";
  field.placeholder = _("Feed, topic, search or command");
  field.setAttribute("aria-label", field.placeholder);
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-expanded", "true");
  field.setAttribute("aria-controls", "palette-list");
  const list = document.createElement("ul");
  list.id = "palette-list";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", _("Found"));
  dialog.append(field, list);
  document.body.append(dialog);
  let shown = [];
  let at = 0;

  function draw() {
    const words = field.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    shown = all.filter(({ name }) => words.every((word) => name.toLocaleLowerCase().includes(word))).slice(0, MAX_SHOWN);
    const typed = field.value.trim();
    if (typed && hasMore) shown.push({ name: _("Feeds with “%(words)s”", { words: typed }), kind: "feed", run: go(`/feeds?q=${encodeURIComponent(typed)}`) });
    if (typed) shown.push({ name: _("Find “%(words)s”", { words: typed }), kind: "search", run: go(`/?q=${encodeURIComponent(typed)}`) });
    at = 0;
    list.replaceChildren(...shown.map(row));
    mark();
  }

  function row(choice, number) {
    const item = document.createElement("li");
    item.id = `palette-${number}`;
    item.setAttribute("role", "option");
    const name = document.createElement("bdi");
    name.textContent = choice.name;
    const kind = document.createElement("span");
    kind.className = "small";
    kind.textContent = KINDS[choice.kind];
    item.append(name, kind);
    item.addEventListener("click", () => choose(number));
    return item;
  }

  function mark() {
    [...list.children].forEach((item, number) => item.setAttribute("aria-selected", String(number === at)));
    field.setAttribute("aria-activedescendant", `palette-${at}`);
    list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  function choose(number) {
    dialog.close();
    shown[number]?.run();
  }

  field.addEventListener("input", draw);
  field.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && shown.length) {
      event.preventDefault();
      at = (at + by + shown.length) % shown.length;
      mark();
    }
    if (event.key === "Enter") {
      event.preventDefault();
      choose(at);
    }
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  draw();
  dialog.showModal();
  load().then(({ found, more }) => {
    all = [...found, ...all];
    hasMore = more;
    draw();
  });
}
