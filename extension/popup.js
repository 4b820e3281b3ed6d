// The popup of the toolbar's button: the article of the tab, other outlets' versions, and the site. With `?url=`, as the
// link menu opens it, it shows that page instead.

import { addFeed, api, follow, isFollowed, loadSettings, loadStory, lookUp } from "./server.js";
import { dropSite, markedSites, permissionOf } from "./sites.js";
import { band, bandOf, count, day, isOfTheWeb, link, make, neutralTitle, PARTS, siteOf } from "./words.js";

const MAX_OUTLETS = 6;
const byId = (id) => document.getElementById(id);
const given = new URLSearchParams(location.search).get("url");

async function start() {
  byId("options").addEventListener("click", () => api.runtime.openOptionsPage());
  const { address } = await loadSettings();
  byId("home").href = address;
  document.body.classList.toggle("whole", given !== null);
  const [tab] = given === null ? await api.tabs.query({ active: true, currentWindow: true }) : [];
  const url = given ?? tab?.url ?? "";
  if (!isOfTheWeb(url)) {
    say("This is not a page of the web. Open an article and click again.");
    return;
  }
  try {
    const { [url]: item } = await lookUp([url]);
    if (item) show(item, address);
    else say("Info Radar does not know this page.");
    showSite(url, tab?.id);
    if (item) await showOutlets(item, address);
  } catch (fault) {
    complain(byId("page"), fault);
  }
}

function fill(...children) {
  byId("page").replaceChildren(...children.filter(Boolean));
  byId("page").setAttribute("aria-busy", "false");
}

function say(sentence) {
  fill(make("p", { class: "soft" }, sentence));
}

function complain(place, fault) {
  const mend = make("button", {}, "Open the options");
  mend.addEventListener("click", () => api.runtime.openOptionsPage());
  place.replaceChildren(make("p", { class: "fault" }, fault.message), ...(fault.needsOptions ? [mend] : []));
  byId("page").setAttribute("aria-busy", "false");
}

function show(item, address) {
  const neutral = neutralTitle(item);
  fill(
    make("p", { class: "meta" }, make("span", {}, item.source), make("span", {}, day(item.published_at)), band(item.score, item.score_label)),
    make("h1", { dir: "auto" }, neutral ?? item.title),
    neutral && make("p", { class: "original", dir: "auto" }, make("span", { class: "small" }, "Published as: "), item.title),
    scores(item),
    make("section", { id: "outlets", hidden: true }),
    make("p", {}, link(`${address}/item/${encodeURIComponent(item.id)}`, "Read in Info Radar")),
  );
}

function scores(item) {
  const all = item.analyzer_result?.scores;
  if (!all) return null;
  const rows = PARTS.filter(([name]) => typeof all[name]?.value === "number").flatMap(([name, word]) => [
    make("span", {}, word),
    band(all[name].value, bandOf(all[name].value)),
    make("span", { class: "reason", dir: "auto" }, all[name].reason ?? ""),
  ]);
  if (rows.length === 0) return null;
  return make("details", {}, make("summary", {}, "Why this score"), make("div", { class: "parts" }, ...rows));
}

async function showOutlets(item, address) {
  const story = await loadStory(item);
  const others = (story?.items ?? []).filter((told) => told.id !== item.id);
  if (others.length === 0) return;
  const rows = others.slice(0, MAX_OUTLETS).map((told) =>
    make(
      "li",
      {},
      link(told.url, make("span", { dir: "auto", lang: told.language }, told.title)),
      make("p", { class: "meta" }, make("span", {}, told.source), make("span", {}, day(told.at)), band(told.score, told.score_label)),
    ),
  );
  const all = `${address}/stories/${encodeURIComponent(story.id)}`;
  byId("outlets").replaceChildren(
    make("h2", {}, `Also told by ${count(others.length, "other", "others")}`),
    make("ul", { class: "outlets" }, ...rows),
    link(all, others.length > MAX_OUTLETS ? `Compare all ${others.length + 1}` : "Compare them"),
  );
  byId("outlets").hidden = false;
}

async function showSite(url, tab) {
  const site = siteOf(url);
  byId("host").textContent = site;
  byId("site").hidden = false;
  byId("marks").checked = (await markedSites()).includes(site);
  byId("marks").addEventListener("change", () => switchMarks(site, tab));
  const place = byId("follow");
  try {
    if (await isFollowed(site)) {
      place.replaceChildren(make("p", { class: "soft" }, "You follow this site."));
      return;
    }
    const button = make("button", { class: "first" }, "Follow this site");
    button.addEventListener("click", () => followSite(url, button, place));
    place.replaceChildren(button);
  } catch (fault) {
    complain(place, fault);
  }
}

async function followSite(url, button, place) {
  button.disabled = true;
  button.textContent = "Looking for its feeds …";
  try {
    const { added, others, known } = await follow(url);
    const what = added ?? known[0];
    place.replaceChildren(
      make("p", {}, what ? `You follow ${what.title || what.url} now.` : "No feed was found on this site."),
      otherFeeds(others),
    );
  } catch (fault) {
    complain(place, fault);
  }
}

function otherFeeds(feeds) {
  const rows = feeds.slice(0, 5).map((feed) => {
    const add = make("button", { "aria-label": `Follow ${feed.title || feed.url}` }, "Follow");
    add.addEventListener("click", async () => {
      add.disabled = true;
      try {
        await addFeed(feed);
        add.textContent = "Followed";
      } catch (fault) {
        add.replaceWith(make("span", { class: "fault" }, fault.message));
      }
    });
    return make("li", {}, make("span", { dir: "auto" }, feed.title || feed.url), add);
  });
  return rows.length > 0 ? make("ul", { class: "others" }, ...rows) : "";
}

async function switchMarks(site, tab) {
  const box = byId("marks");
  if (!box.checked) {
    await dropSite(site);
    return;
  }
  // The browser asks only in answer to a click, so nothing may be awaited first.
  const answer = api.permissions.request(permissionOf(site));
  const chosen = api.runtime.sendMessage({ kind: "choose", site, tab });
  const isPermitted = await answer.catch(() => false);
  await chosen;
  if (!isPermitted) await dropSite(site);
  box.checked = isPermitted;
  // Chosen before it was permitted, or after: either way the script runs in this tab now.
  if (isPermitted) await api.runtime.sendMessage({ kind: "choose", site, tab });
}

start();
