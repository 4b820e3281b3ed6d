// The list and the article side by side, and from one article to the next without a round to the list.
//
// The server writes each page whole. Here only one pane of it is replaced, and the address always names what is shown.

import { entries, list, loadMore, loadPage, select } from "./lists.js";
import { show } from "./marks.js";
import { say } from "./say.js";
import { csrf, reason, root } from "./server.js";
import { _ } from "./texts.js";
import { localTimes } from "./times.js";

const wide = matchMedia("(min-width: 75rem)");
const bare = (address) => address.split("#")[0];
let running = null;
let shown = bare(location.href);

const pane = () => document.querySelector('[data-pane="article"]');
const isItem = (address) => /^\/(item|stories)\/[^/]+$/.test(new URL(address).pathname.slice(root.length));
const canOpen = () => pane() && (wide.matches || document.body.classList.contains("reads"));

// Whether an article is shown, not only its place.
export const hasArticle = () => Boolean(pane()?.dataset.item);

export function bindPanes() {
  const first = location.href;
  fillList();
  wide.addEventListener("change", fillList);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link.dataset.reloadList !== undefined && document.body.classList.contains("reads")) {
      event.preventDefault();
      list().dataset.list = link.href;
      fillList(true);
    }
    const isTurn = link.matches('[rel="next"], [rel="prev"]') && pane()?.contains(link);
    if (!canOpen() || !(isTurn || link.closest(".entry")) || !isItem(link.href)) return;
    event.preventDefault();
    openArticle(link.href);
  });
  addEventListener("popstate", () => {
    // Another tab of the same article.
    if (bare(location.href) === shown) return;
    shown = bare(location.href);
    if (isItem(location.href) && canOpen()) openArticle(location.href, false);
    else if (bare(location.href) === bare(first)) clear();
    else location.reload();
  });
  bindTabs();
  bindSharing();
  awaitArticle();
}

export async function openArticle(address, isNew = true) {
  running?.abort();
  running = new AbortController();
  try {
    const page = await loadPage(address, { signal: running.signal });
    const found = page.querySelector('[data-pane="article"][data-item]') ?? storyOf(page, address);
    if (!found) throw new Error(_("There is no such article."));
    put(found);
    document.title = page.title;
  } catch (fault) {
    if (fault.name !== "AbortError") say(reason(fault));
    return;
  }
  if (isNew) history.pushState(null, "", address);
  shown = bare(location.href);
  pane().scrollTop = 0;
  if (!wide.matches) scrollTo(0, 0);
  pane().focus({ preventScroll: true });
  follow();
}

// A story in the place of an article: the entry of the list that leads to it stands for it.
function storyOf(page, address) {
  const found = page.querySelector(".stories.one")?.parentElement;
  const entry = entries().find((one) => one.querySelector("h2 a").href === bare(address));
  if (!found || !entry) return null;
  for (const node of found.querySelectorAll("[data-page-only]")) node.remove();
  Object.assign(found.dataset, { item: entry.dataset.id, url: entry.dataset.url, title: page.title });
  return found;
}

function put(found) {
  const here = pane();
  for (const name of ["item", "url", "title"]) here.dataset[name] = found.dataset[name];
  here.replaceChildren(...document.importNode(found, true).childNodes);
  localTimes(here);
  bindSharing();
  document.dispatchEvent(new CustomEvent("article"));
}

function clear() {
  if (!hasArticle() || document.body.classList.contains("reads")) return;
  delete pane().dataset.item;
  delete pane().dataset.url;
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = _("Choose an article.");
  pane().replaceChildren(note);
  document.title = `${list()?.querySelector("h1")?.textContent.trim() ?? _("Articles")} · Info Radar`;
}

// The list follows the article: its entry is marked, and in view; near its end, more is loaded.
function follow() {
  const entry = document.getElementById(`e-${pane().dataset.item}`);
  if (!entry) return;
  select(entry);
  entry.scrollIntoView({ block: "nearest" });
  const isUnread = new URLSearchParams(location.search).has("unread");
  const isOpened = !pane().querySelector(".stories.one") || document.documentElement.dataset.along === "story";
  if (csrf && isOpened && !isUnread && !entry.classList.contains("read")) show(entry.dataset.url, "read", true);
  if (entries().indexOf(entry) > entries().length - 5) loadMore();
}

// Next to an article that was opened by its address, the list that it is read in.
async function fillList(again = false) {
  const place = list();
  if (!place?.dataset.list || !wide.matches || (place.childElementCount && again !== true)) return;
  const page = await loadPage(place.dataset.list).catch(() => null);
  const found = page?.querySelector('[data-pane="list"]');
  if (!found) return;
  place.replaceChildren(...document.importNode(found, true).childNodes);
  // One main heading on a page: that of the article.
  const heading = place.querySelector("h1");
  if (heading) {
    const lower = document.createElement("h2");
    lower.className = "list-name";
    lower.append(...heading.childNodes);
    heading.replaceWith(lower);
  }
  localTimes(place);
  document.dispatchEvent(new CustomEvent("entries"));
  follow();
}

// The next or previous article, where one is shown: by the list beside it, else by the article's own links.
export function turn(by) {
  const at = document.getElementById(`e-${pane()?.dataset.item}`);
  const all = entries();
  const near = at && all[all.indexOf(at) + by];
  const link = near?.querySelector("h2 a") ?? pane()?.querySelector(by > 0 ? '[rel="next"]' : '[rel="prev"]');
  if (!link) {
    say(by > 0 ? _("This is the last article.") : _("This is the first article."));
    return true;
  }
  openArticle(link.href);
  return true;
}

// Another view of the article opens where the reader is; without a script the page moves to it.
function bindTabs() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest(".tab-names a");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const [place, inner] = [scrollY, pane()?.scrollTop];
    location.replace(link.hash);
    scrollTo(0, place);
    if (pane()) pane().scrollTop = inner;
  });
}

let isSharingBound = false;

function bindSharing() {
  const share = document.querySelector("[data-share]");
  if (share) share.hidden = !navigator.share;
  const copy = document.querySelector("[data-copy]");
  if (copy) copy.hidden = !navigator.clipboard;
  if (isSharingBound) return;
  isSharingBound = true;
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-copy]")) copyLink();
    if (event.target.closest("[data-share]")) {
      const url = document.querySelector("[data-copy]")?.dataset.copy ?? location.href;
      navigator.share({ title: pane()?.dataset.title, url }).catch(() => null);
    }
  });
}

export function copyLink() {
  const url = document.querySelector("[data-copy]")?.dataset.copy;
  if (!url || !navigator.clipboard) return false;
  navigator.clipboard.writeText(url).then(() => say(_("The link is copied.")), () => say(_("The browser does not allow copying.")));
  return true;
}

// An article that was asked for appears by itself, if it comes within two minutes.
function awaitArticle(tries = 40) {
  if (!document.querySelector("[data-awaited]") || !tries) return;
  setTimeout(async () => {
    const answer = await fetch(location.href).catch(() => null);
    if (answer?.ok && !(await answer.text()).includes("data-awaited")) location.replace(location.pathname);
    else awaitArticle(tries - 1);
  }, 3000);
}
