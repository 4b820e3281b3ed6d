// Words and small pieces that the popup and the options share. Text of the web only ever becomes text nodes.

export const PARTS = [
  ["framing", "Framing"],
  ["clickbait", "Clickbait"],
  ["persuasive", "Persuasion"],
  ["hyper_stimulus", "Stimulus"],
  ["speculative", "Speculation"],
];

/** Make an element: attributes, then children, which are elements or text. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A link that opens in a new tab; plain text if the address is not one of the web. */
export function link(url, ...children) {
  if (!isOfTheWeb(url)) return make("span", {}, ...children);
  return make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, ...children);
}

export function isOfTheWeb(url) {
  try {
    return ["http:", "https:"].includes(new URL(url).protocol);
  } catch {
    return false;
  }
}

/** A site's name for people and permissions: its host without `www.`; null for what is no page of the web. */
export function siteOf(url) {
  return isOfTheWeb(url) ? new URL(url).hostname.replace(/^www\./, "") : null;
}

export function count(number, one, many) {
  return `${number} ${number === 1 ? one : many}`;
}

/** The neutral title, if it differs from the published one. */
export function neutralTitle(item) {
  const title = item.analyzer_result?.title;
  return title && title !== item.title ? title : null;
}

export function day(time) {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return "";
  const isToday = at.toDateString() === new Date().toDateString();
  return at.toLocaleString(undefined, isToday ? { timeStyle: "short" } : { dateStyle: "medium" });
}

/** A score as a bar, the word and the number: never colour alone. */
export function band(score, label) {
  if (score === null || score === undefined) return make("span", { class: "band none" }, label || "not analyzed");
  const level = make("meter", { min: 0, max: 1, value: score, "aria-hidden": "true" });
  return make("span", { class: `band ${known(label)}` }, level, `${label} ${score.toFixed(2)}`);
}

function known(label) {
  return ["neutral", "slanted", "loaded"].includes(label) ? label : "none";
}

/** The word for a part's value; the bands are those of every face. */
export function bandOf(value) {
  if (value < 0.34) return "neutral";
  return value < 0.67 ? "slanted" : "loaded";
}
