// The sidebar: folded or not, topics unfolded or not, remembered by this browser; its numbers follow what is read.

import { locale } from "./texts.js";

const TOPICS = "topics";

export function bindSide() {
  document.querySelector("[data-fold-side]")?.addEventListener("click", (event) => {
    // On a phone the link opens the drawer.
    if (!matchMedia("(min-width: 50.01rem)").matches) return;
    event.preventDefault();
    foldSide();
  });
  const side = document.querySelector(".side");
  if (!side) return;
  const remembered = JSON.parse(localStorage.getItem(TOPICS) ?? "{}");
  for (const topic of side.querySelectorAll("details[data-topic]")) {
    const was = remembered[topic.dataset.topic];
    if (was !== undefined && !topic.parentElement.querySelector("[aria-current]")) topic.open = was;
    topic.addEventListener("toggle", () => {
      remembered[topic.dataset.topic] = topic.open;
      localStorage.setItem(TOPICS, JSON.stringify(remembered));
    });
  }
}

export function foldSide() {
  const page = document.documentElement;
  const folded = page.dataset.side !== "folded";
  if (folded) page.dataset.side = "folded";
  else delete page.dataset.side;
  document.cookie = `side=${folded ? "folded" : "open"}; path=/; max-age=31536000; samesite=lax`;
}

// Something was read, or is unread again.
export function countRead(feedId, by) {
  const feed = document.querySelector(`.side a[data-feed="${feedId}"]`);
  const topic = feed?.closest(".topic")?.querySelector("a");
  for (const place of [feed, topic, document.querySelector("[data-unread-all]")]) {
    const count = place?.querySelector(".count");
    const number = Number(count?.textContent.replace(/\D/g, ""));
    if (!count || count.textContent.includes("+")) continue;
    if (number + by > 0) count.textContent = (number + by).toLocaleString(locale);
    else count.remove();
  }
}
