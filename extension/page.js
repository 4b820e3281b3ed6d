// The content script: finds the headlines of a page, asks the background script about all of them at once, and puts a
// mark behind the loaded ones. It runs on the sites that the user chose, and nowhere else.
//
// Styles are set on the elements themselves, because a page's policy may refuse style sheets; colours follow the page's
// own background, because a dark system may show a light page. Everything is drawn in closed shadow roots, as text.

(() => {
  if (globalThis.inforadarMarks) return;
  globalThis.inforadarMarks = true;

  const api = globalThis.browser ?? globalThis.chrome;
  const MAX_PAGES = 200;
  const MAX_BATCHES = 10; // for pages that grow while they are read
  const QUIET_MS = 800;
  const MIN_CHARS = 18;
  const MIN_WIDE_CHARS = 7; // Chinese and Japanese say more in fewer
  const WIDE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u;
  const MARK = "inforadar-mark";
  const HEADINGS = "h1, h2, h3, h4, [role=heading]";
  const LIGHT = { slanted: "#8a6100", loaded: "#ab372c", ink: "#1f2326", paper: "#fbfaf8", soft: "#5f676d", line: "#d8d4cc" };
  const DARK = { slanted: "#d9b45a", loaded: "#e88d80", ink: "#dfe2e3", paper: "#1d2123", soft: "#98a1a7", line: "#3a4247" };
  const SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans CJK SC', sans-serif";

  const asked = new Set();
  const marked = new Set();
  let batches = 0;
  let card = null;

  /** The headlines that were not asked about: {url: [links]}. */
  function newHeadlines() {
    const found = new Map();
    for (const link of document.links) {
      const url = urlOf(link);
      if (url === null || asked.has(url) || !isHeadline(link)) continue;
      if (!found.has(url) && found.size === MAX_PAGES - 1) continue; // one place is the page's own
      found.set(url, [...(found.get(url) ?? []), link]);
    }
    return found;
  }

  function urlOf(link) {
    if (!["http:", "https:"].includes(link.protocol)) return null;
    const url = link.href.split("#", 1)[0];
    return url === ownUrl() || url.length > 2000 ? null : url;
  }

  function ownUrl() {
    return location.href.split("#", 1)[0];
  }

  function isHeadline(link) {
    const text = link.textContent.trim();
    return text.length >= (WIDE.test(text) ? MIN_WIDE_CHARS : MIN_CHARS) && text.length <= 400;
  }

  /** Of several links to one article, the one that carries its headline. */
  function headlineOf(links) {
    return links.find((link) => link.localName === "h1") ?? links.find((link) => link.closest(HEADINGS) ?? link.querySelector(HEADINGS)) ?? longest(links);
  }

  function longest(links) {
    return links.reduce((one, other) => (other.textContent.trim().length > one.textContent.trim().length ? other : one));
  }

  async function look() {
    if (batches >= MAX_BATCHES || document.visibilityState === "hidden") return;
    const headlines = newHeadlines();
    const isFirst = !asked.has(ownUrl());
    if (headlines.size === 0 && !isFirst) return;
    batches += 1;
    const urls = [...(isFirst ? [ownUrl()] : []), ...headlines.keys()];
    urls.forEach((url) => asked.add(url));
    const answer = await api.runtime.sendMessage({ kind: "lookup", urls }).catch(() => null);
    // Two addresses may be one article: with and without https, or its AMP page.
    const articles = new Map();
    for (const [url, item] of Object.entries(answer?.items ?? {})) {
      if (item.label !== "slanted" && item.label !== "loaded") continue;
      const title = url === ownUrl() ? document.querySelector("h1") : null;
      const { targets = [] } = articles.get(item.id) ?? {};
      articles.set(item.id, { item, targets: [...targets, ...(title ? [title] : (headlines.get(url) ?? []))] });
    }
    for (const [id, { item, targets }] of articles) {
      const shown = targets.filter((target) => target.isConnected);
      if (shown.length === 0 || marked.has(id)) continue;
      marked.add(id);
      attach(headlineOf(shown), item);
    }
  }

  /** The innermost element that holds nearly all of the text: the mark stands at its end, in the line. */
  function innermost(element) {
    const length = element.textContent.trim().length;
    const child = [...element.children].find((one) => one.textContent.trim().length >= 0.8 * length);
    return child ? innermost(child) : element;
  }

  function attach(target, item) {
    const place = innermost(target);
    if (place.querySelector(MARK)) return;
    const colours = isDark(place) ? DARK : LIGHT;
    const host = styled(MARK, { all: "initial", display: "inline-block", "margin-inline-start": "6px", "white-space": "nowrap", "vertical-align": "middle" });
    host.setAttribute("role", "img");
    host.setAttribute("aria-label", described(item));
    host.attachShadow({ mode: "closed" }).append(chip(item, colours));
    place.append(host);
    const focusable = target.closest("a") ?? target;
    host.addEventListener("pointerenter", () => show(host, item, colours));
    host.addEventListener("pointerleave", hide);
    focusable.addEventListener("focusin", () => show(host, item, colours));
    focusable.addEventListener("focusout", hide);
  }

  function described(item) {
    const plainer = item.neutral ? ` Plainer title: ${item.neutral}` : "";
    return `Info Radar: ${item.label}, ${item.score.toFixed(2)}.${plainer}`;
  }

  function chip(item, colours) {
    const colour = colours[item.label];
    const level = styled("span", {
      display: "inline-block", width: "20px", height: "5px", "border-radius": "3px", overflow: "hidden",
      border: `1px solid ${colour}`, "box-sizing": "border-box",
    });
    level.append(styled("span", { display: "block", width: `${Math.round(item.score * 100)}%`, height: "100%", background: colour }));
    const chip = styled("span", {
      display: "inline-flex", "align-items": "center", gap: "5px", padding: "1px 7px",
      border: `1px solid ${colour}`, "border-radius": "10px", color: colour, background: colours.paper,
      font: `500 11px/16px ${SANS}`, "letter-spacing": "0", "text-transform": "none", cursor: "help",
    });
    chip.append(level, item.label);
    return chip;
  }

  function show(host, item, colours) {
    hide();
    card = styled(MARK, {
      all: "initial", position: "fixed", inset: "auto", margin: "0", padding: "0", border: "0", background: "transparent",
      "z-index": "2147483647", "pointer-events": "none", "max-width": "min(340px, 90vw)",
    });
    card.setAttribute("aria-hidden", "true");
    const box = styled("div", {
      padding: "10px 12px", border: `1px solid ${colours.line}`, "border-radius": "8px", color: colours.ink,
      background: colours.paper, font: `14px/1.4 ${SANS}`, "box-shadow": "0 4px 16px rgb(0 0 0 / .18)",
    });
    if (item.neutral) box.append(line("Plainer title", colours.soft, "11px"), line(item.neutral, colours.ink, "14px"));
    const outlets = item.outlets > 1 ? ` · ${item.outlets} outlets` : "";
    box.append(line(`${item.label} ${item.score.toFixed(2)}${outlets} · Info Radar`, colours.soft, "12px"));
    card.attachShadow({ mode: "closed" }).append(box);
    document.documentElement.append(card);
    // The top layer: no page covers it or cuts it off.
    if (card.showPopover) {
      card.popover = "manual";
      card.showPopover();
    }
    const from = host.getBoundingClientRect();
    const { width, height } = card.getBoundingClientRect();
    const below = from.bottom + 6 + height <= innerHeight;
    card.style.setProperty("left", `${Math.max(8, Math.min(from.left, innerWidth - width - 8))}px`, "important");
    card.style.setProperty("top", `${below ? from.bottom + 6 : Math.max(8, from.top - 6 - height)}px`, "important");
  }

  function hide() {
    card?.remove();
    card = null;
  }

  function line(text, color, size) {
    const made = styled("div", { color, "font-size": size });
    made.textContent = text;
    return made;
  }

  /** An element whose styles no rule of the page overrides. */
  function styled(name, styles) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(styles)) element.style.setProperty(key, value, "important");
    return element;
  }

  /** Whether an element stands on a dark ground: the nearest background that is not transparent. */
  function isDark(element) {
    for (let one = element; one; one = one.parentElement) {
      const [red, green, blue, alpha = 1] = getComputedStyle(one).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
      if (alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
    }
    return getComputedStyle(document.documentElement).colorScheme.startsWith("dark");
  }

  let waiting = null;
  function lookSoon() {
    clearTimeout(waiting);
    waiting = setTimeout(look, QUIET_MS);
  }

  new MutationObserver((changes) => {
    const isOurs = changes.every((change) => [...change.addedNodes].every((node) => node.localName === MARK));
    if (!isOurs) lookSoon();
  }).observe(document.documentElement, { childList: true, subtree: true });
  document.addEventListener("visibilitychange", lookSoon);
  addEventListener("scroll", hide, { passive: true });
  look();
})();
