// Marks without a reload: in the list, in the article, by a swipe. Without a script, each is a button of a form.

import { say, undoLast } from "./say.js";
import { csrf, reason, send } from "./server.js";
import { countRead } from "./side.js";
import { _, ngettext } from "./texts.js";

const CLASSES = { read: "read", starred: "starred", archived: "archived" };
const ICONS = { read: ["dot", "check"], starred: ["star", "star-on"], archived: ["archive", "unarchive"] };
const LABELS = {
  read: [_("Mark as read"), _("Mark as unread"), "m"],
  starred: [_("Star"), _("Remove the star"), "s"],
  archived: [_("Archive"), _("Take out of the archive"), "a"],
};
const EDGE_PX = 24;
const SHORT_PX = 60;
const LONG_PX = 150;
const BATCH = 100;

const pane = () => document.querySelector('[data-pane="article"][data-url]');
const entriesOf = (url) => [...document.querySelectorAll(".entry")].filter((entry) => entry.dataset.url === url);

export function bindMarks() {
  if (!csrf) return;
  document.addEventListener("click", (event) => {
    const above = event.target.closest("button[data-above]");
    if (above) markAbove(above.closest(".entry"));
    const button = event.target.closest("button[data-set], button[data-mark]");
    if (!button) return;
    event.preventDefault();
    const url = button.dataset.set ? button.closest(".entry").dataset.url : pane()?.dataset.url;
    toggle(url, button.dataset.set ?? button.dataset.mark);
  });
  bindSwipes();
  if (document.documentElement.dataset.scroll === "read") markOnScroll();
}

// Whether what has this address is marked, as far as the page shows it.
function isSet(url, name) {
  const [entry] = entriesOf(url);
  if (entry) return entry.classList.contains(CLASSES[name]);
  return pane()?.querySelector(`[data-mark="${name}"]`)?.value === "off";
}

export function toggle(url, name) {
  return setMark([url], name, !isSet(url, name));
}

export async function setMark(urls, name, on, quietly = false) {
  const changed = urls.filter((url) => isSet(url, name) !== on);
  try {
    // An entry of a list by stories stands for all that tell of the same event.
    const story = name === "read" && entriesOf(urls[0])[0]?.closest("[data-by-story]") ? { story: true } : {};
    await send("PUT", "/api/marks", { urls, [name]: on, ...story });
  } catch (fault) {
    say(reason(fault));
    return;
  }
  for (const url of changed) show(url, name, on);
  if (quietly || !changed.length) return;
  if (name === "archived") say(on ? _("Archived.") : _("Taken out of the archive."), () => setMark(urls, name, !on, true));
}

// Everything above an article is read; Undo gives back what was not.
export async function markAbove(entry) {
  const all = [...document.querySelectorAll("[data-entries] .entry")];
  const urls = all.slice(0, all.indexOf(entry)).filter((one) => !one.classList.contains("read")).map((one) => one.dataset.url);
  if (!csrf || !entry) return;
  if (!urls.length) return say(_("Nothing above is unread."));
  const change = async (on) => {
    for (let start = 0; start < urls.length; start += BATCH) {
      await send("PUT", "/api/marks", { urls: urls.slice(start, start + BATCH), read: on });
      for (const url of urls.slice(start, start + BATCH)) show(url, "read", on);
    }
  };
  try {
    await change(true);
    say(ngettext("Marked %(num)s article as read.", "Marked %(num)s articles as read.", urls.length), () => change(false).catch((fault) => say(reason(fault))));
  } catch (fault) {
    say(reason(fault));
  }
}

export function show(url, name, on) {
  const entries = entriesOf(url);
  for (const entry of entries) {
    entry.classList.toggle(CLASSES[name], on);
    if (name === "read") entry.classList.remove("new");
    draw(entry.querySelector(`[data-set="${name}"]`), name, on);
  }
  if (name === "read" && entries[0]) countRead(entries[0].dataset.feed, on ? -1 : 1);
  if (pane()?.dataset.url === url) draw(pane().querySelector(`[data-mark="${name}"]`), name, on);
}

function draw(button, name, on) {
  if (!button) return;
  const label = LABELS[name][Number(on)];
  button.title = `${label} (${LABELS[name][2]})`;
  button.setAttribute("aria-label", label);
  if (button.dataset.mark) button.value = on ? "off" : "on";
  else button.name = `${name}-${on ? "off" : "on"}`;
  button.classList.toggle("set", on && name !== "read");
  const use = button.querySelector("use");
  use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${ICONS[name][Number(on)]}`));
}

// Short: read. Long: star. Nothing near the edge, where the browser's own gesture is. The entry follows the finger and
// says what letting go would do.
function bindSwipes() {
  let from = null;
  document.addEventListener("touchstart", (event) => {
    const entry = event.target.closest(".entry");
    const touch = event.touches[0];
    const isInside = touch.clientX > EDGE_PX && touch.clientX < innerWidth - EDGE_PX;
    from = entry && isInside && event.touches.length === 1 ? { entry, x: touch.clientX, y: touch.clientY } : null;
  }, { passive: true });
  document.addEventListener("touchmove", (event) => {
    if (!from) return;
    const touch = event.touches[0];
    const across = touch.clientX - from.x;
    if (Math.abs(touch.clientY - from.y) > Math.max(Math.abs(across) / 2, 12)) return endSwipe();
    if (Math.abs(across) < 12) return;
    from.entry.classList.add("swiped");
    from.entry.classList.toggle("swiped-right", across > 0);
    from.entry.style.setProperty("--swipe", `${across}px`);
    const name = Math.abs(across) < SHORT_PX ? "" : markOf(across);
    from.entry.dataset.swipe = name && LABELS[name][Number(isSet(from.entry.dataset.url, name))];
  }, { passive: true });
  document.addEventListener("touchend", (event) => {
    if (!from) return;
    const touch = event.changedTouches[0];
    const across = touch.clientX - from.x;
    const { entry, y } = from;
    endSwipe();
    if (Math.abs(across) < SHORT_PX || Math.abs(touch.clientY - y) > Math.abs(across) / 2) return;
    toggle(entry.dataset.url, markOf(across));
  }, { passive: true });
  document.addEventListener("touchcancel", () => endSwipe(), { passive: true });

  function endSwipe() {
    from?.entry.classList.remove("swiped", "swiped-right");
    from?.entry.style.removeProperty("--swipe");
    delete from?.entry.dataset.swipe;
    from = null;
  }
}

const markOf = (across) => (Math.abs(across) < LONG_PX ? "read" : "starred");

// What was scrolled past is read.
function markOnScroll() {
  const seen = new WeakSet();
  const passed = new IntersectionObserver((changes) => {
    const urls = [];
    for (const { target, isIntersecting, boundingClientRect, rootBounds } of changes) {
      if (isIntersecting) seen.add(target);
      else if (seen.has(target) && boundingClientRect.bottom <= (rootBounds?.top ?? 0) && !target.classList.contains("read")) urls.push(target.dataset.url);
    }
    if (urls.length) setMark(urls, "read", true, true);
  });
  const watch = () => document.querySelectorAll(".entry").forEach((entry) => passed.observe(entry));
  watch();
  document.addEventListener("entries", watch);
}

export { undoLast };
