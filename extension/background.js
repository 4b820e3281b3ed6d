// The service worker (an event page in Firefox): answers the content script, keeps it registered on the chosen sites,
// and shows the score of the page on the toolbar's button.

import { api, lookUp, MAX_PAGES } from "./server.js";
import { chooseSite, isOn, markedSites, registerScripts } from "./sites.js";
import { isOfTheWeb, neutralTitle } from "./words.js";

const MENU = "look-up";
const COLOURS = { neutral: "#2c7048", slanted: "#8a6100", loaded: "#ab372c" };

// One registration at a time: two at once would both see "not registered".
let registering = Promise.resolve();

function register() {
  registering = registering.then(registerScripts, registerScripts);
  return registering;
}

api.runtime.onInstalled.addListener(() => {
  // Firefox for Android has no such menu.
  api.contextMenus?.removeAll(() => {
    api.contextMenus.create({ id: MENU, title: "Look up in Info Radar", contexts: ["link"], targetUrlPatterns: ["*://*/*"] });
  });
  register();
});
api.runtime.onStartup.addListener(register);
api.permissions.onRemoved.addListener(register);
api.permissions.onAdded.addListener(async () => {
  await register();
  const [tab] = await api.tabs.query({ active: true, lastFocusedWindow: true });
  // Without the permission for a tab its URL is not told.
  if (tab?.url && isOfTheWeb(tab.url) && isOn(tab.url, await markedSites())) await mark(tab.id);
});
api.storage.onChanged.addListener((changes, area) => {
  if (area === "local" && changes.sites) register();
});

api.contextMenus?.onClicked.addListener((info) => {
  if (info.menuItemId !== MENU || !info.linkUrl) return;
  const url = api.runtime.getURL(`popup.html?url=${encodeURIComponent(info.linkUrl)}`);
  if (api.windows) api.windows.create({ url, type: "popup", width: 420, height: 620 });
  else api.tabs.create({ url });
});

api.runtime.onMessage.addListener((message, sender, answer) => {
  const act = { lookup: lookUpForPage, choose }[message?.kind];
  if (!act || sender.id !== api.runtime.id) return false;
  act(message, sender).then(answer, (fault) => answer({ fault: String(fault.message ?? fault) }));
  return true;
});

/** The popup asked for a site; the browser's question may close it, so the rest is done here. */
async function choose({ site, tab }, sender) {
  if (sender.tab && !sender.url?.startsWith(api.runtime.getURL(""))) return {};
  await chooseSite(site);
  await register();
  if ((await markedSites()).includes(site) && Number.isInteger(tab)) await mark(tab);
  return {};
}

/** Run the content script in a tab that was open before its site was chosen. */
async function mark(tab) {
  await api.scripting.executeScript({ target: { tabId: tab }, files: ["page.js"] }).catch(() => {});
}

/** One request for all headlines of a page; the page gets only what its marks show. */
async function lookUpForPage({ urls }, sender) {
  const page = sender.url ?? sender.tab?.url;
  if (!sender.tab || !Array.isArray(urls) || !page || !isOn(page, await markedSites())) return { items: {} };
  const asked = urls.filter((url) => typeof url === "string" && isOfTheWeb(url)).slice(0, MAX_PAGES);
  const found = await lookUp(asked);
  if (asked.includes(page)) await showScore(sender.tab.id, found[page]);
  const items = Object.entries(found).map(([url, item]) => [
    url,
    { id: item.id, score: item.score, label: item.score_label, neutral: neutralTitle(item), outlets: item.story?.sources ?? 1 },
  ]);
  return { items: Object.fromEntries(items) };
}

async function showScore(tabId, item) {
  const isScored = typeof item?.score === "number";
  const text = isScored ? item.score.toFixed(2).replace(/^0/, "") : "";
  // The tab may be gone by now.
  await Promise.all([
    api.action.setBadgeText({ tabId, text }),
    api.action.setTitle({ tabId, title: isScored ? `Info Radar: ${item.score_label} ${item.score.toFixed(2)}` : "Info Radar" }),
    ...(isScored && COLOURS[item.score_label]
      ? [
          api.action.setBadgeBackgroundColor({ tabId, color: COLOURS[item.score_label] }),
          api.action.setBadgeTextColor({ tabId, color: "#ffffff" }),
        ]
      : []),
  ]).catch(() => {});
}
