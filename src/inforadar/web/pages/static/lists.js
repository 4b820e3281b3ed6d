// The list: what is new since the last visit, more of it while scrolling, and a bar when something arrives.

import { root } from "./server.js";
import { answered, ngettext } from "./texts.js";
import { localTimes } from "./times.js";

const NEWS_MS = 60_000;
const REMEMBER_MS = 200;
const MAX_TIMELINE_PAGES = 12;
let loading = null;

export const list = () => document.querySelector('[data-pane="list"]');
export const entries = () => [...document.querySelectorAll("[data-entries] .entry")];

export function bindLists() {
  boldNews();
  if (document.documentElement.dataset.place === "keep") keepTimeline();
  else keepPlace();
  showAbove();
  watchPager();
  setInterval(() => document.visibilityState === "visible" && lookForNews(), NEWS_MS);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && lookForNews());
  document.addEventListener("entries", () => {
    boldNews();
    watchPager();
    showAbove();
  });
}

// "Mark all above" needs this script.
function showAbove() {
  for (const button of document.querySelectorAll("[data-above][hidden]")) button.hidden = false;
}

// New since the last visit: bold. The browser remembers when that was.
function boldNews() {
  if (!entries().length) return;
  const key = "last-visit";
  const last = sessionStorage.getItem(key) ?? localStorage.getItem(key);
  if (last) {
    sessionStorage.setItem(key, last);
    for (const entry of entries()) {
      if (Number(entry.dataset.at) > Number(last) && !entry.classList.contains("read")) entry.classList.add("new");
    }
  }
  localStorage.setItem(key, Date.now());
}

// From an article, back leads to the list as it was left: the same filters, the same place.
function keepPlace() {
  if (document.body.dataset.section !== "articles") return;
  const here = location.pathname + location.search;
  const came = document.referrer.startsWith(`${location.origin}${root}/item/`);
  const at = document.getElementById(`e-${sessionStorage.getItem("at")}`);
  if (came && sessionStorage.getItem("list") === here && at) {
    at.classList.add("at");
    at.scrollIntoView({ block: "center" });
  }
  addEventListener("pagehide", () => {
    sessionStorage.setItem("list", here);
    sessionStorage.setItem("at", document.querySelector(".entry.at")?.dataset.id ?? "");
  });
  document.addEventListener("click", (event) => {
    const entry = event.target.closest(".entry");
    if (entry && event.target.closest("a")) select(entry);
  });
}

// A timeline: each list opens where it was left, however much has come above since. This browser remembers the place.
async function keepTimeline() {
  if (document.body.dataset.section !== "articles" || new URLSearchParams(location.search).has("after")) return;
  const key = `place:${location.pathname}${location.search}`;
  const was = localStorage.getItem(key);
  if (was) await scrollTo(was);
  let timer = 0;
  const remember = () => {
    const top = Math.max(0, list().getBoundingClientRect().top) + 8;
    const first = entries().find((entry) => entry.getBoundingClientRect().bottom > top);
    if (first) localStorage.setItem(key, first.dataset.id);
  };
  addEventListener("scroll", () => {
    clearTimeout(timer);
    timer = setTimeout(remember, REMEMBER_MS);
  }, { capture: true, passive: true });
  addEventListener("pagehide", remember);
}

async function scrollTo(id) {
  for (let pages = 0; pages < MAX_TIMELINE_PAGES; pages++) {
    const entry = document.getElementById(`e-${id}`);
    if (entry) {
      entry.scrollIntoView({ block: "start" });
      return;
    }
    if (!(await loadMore())) return;
  }
}

export function select(entry) {
  for (const one of document.querySelectorAll(".entry.at")) one.classList.remove("at");
  entry?.classList.add("at");
}

let pagers = null;

function watchPager() {
  const pager = document.querySelector('.pager:has([rel="next"])');
  if (!pager || !list()?.contains(pager)) return;
  pagers ??= new IntersectionObserver((changes) => changes.some((one) => one.isIntersecting) && loadMore(), { rootMargin: "600px" });
  pagers.disconnect();
  pagers.observe(pager);
}

// Appends the next page. The links to pages stay underneath.
export function loadMore() {
  const next = list()?.querySelector('.pager [rel="next"]');
  if (!next) return Promise.resolve(false);
  loading ??= append(next.href).finally(() => (loading = null));
  return loading;
}

async function append(address) {
  const page = await loadPage(address).catch(() => null);
  const more = page?.querySelectorAll("[data-entries] .entry") ?? [];
  const place = list()?.querySelector("[data-entries]");
  if (!place || !more.length) return false;
  for (const entry of more) {
    if (!document.getElementById(entry.id)) place.append(document.importNode(entry, true));
  }
  const pager = page.querySelector(".pager");
  const mine = list().querySelector(".pager");
  mine.replaceWith(document.importNode(pager, true));
  list().querySelector(".pager span").textContent = ngettext("%(num)s article", "%(num)s articles", entries().length);
  localTimes(place);
  document.dispatchEvent(new CustomEvent("entries"));
  return true;
}

export async function loadPage(address, options) {
  const answer = await fetch(address, options);
  if (!answer.ok) throw new Error(answered(answer.status));
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

async function lookForNews() {
  const bar = document.querySelector("[data-newest]");
  if (!bar) return;
  const query = bar.dataset.list;
  const answer = await fetch(`${root}/news?${query ? `${query}&` : ""}newest=${bar.dataset.newest}`).catch(() => null);
  const { new: number } = answer?.ok ? await answer.json() : { new: 0 };
  if (!number || !bar.isConnected) return;
  const link = document.createElement("a");
  link.href = `${root}/${query ? `?${query}` : "?show=all"}`;
  link.dataset.reloadList = "";
  link.textContent = ngettext("%(num)s new article", "%(num)s new articles", number, number > 99 ? { num: "99+" } : {});
  bar.replaceChildren(link);
  bar.hidden = false;
}
