// The sites whose headlines are marked: chosen by the user, and permitted by the browser. Both are needed, because the
// extension may also reach the host of Info Radar itself.

import { api } from "./server.js";

const SCRIPT = "headlines";

/** The match pattern of a site with its subdomains; addresses in numbers have none. */
export function patternOf(site) {
  const isNumeric = /^[\d.]+$/.test(site) || site.startsWith("[") || !site.includes(".");
  return `*://${isNumeric ? "" : "*."}${site}/*`;
}

export function permissionOf(site) {
  return { origins: [patternOf(site)] };
}

export async function chosenSites() {
  const { sites = [] } = await api.storage.local.get("sites");
  return sites;
}

/** The chosen sites that the browser permits. */
export async function markedSites() {
  const sites = await chosenSites();
  const permitted = await Promise.all(sites.map((site) => api.permissions.contains(permissionOf(site))));
  return sites.filter((_, place) => permitted[place]);
}

export async function chooseSite(site) {
  const sites = new Set(await chosenSites());
  await api.storage.local.set({ sites: [...sites.add(site)].sort() });
}

/** Stop marking a site, and give its permission back. */
export async function dropSite(site) {
  const sites = (await chosenSites()).filter((one) => one !== site);
  await api.storage.local.set({ sites });
  // The host of Info Radar itself is required, and stays.
  await api.permissions.remove(permissionOf(site)).catch(() => false);
}

/** Whether a page is on one of these sites. */
export function isOn(url, sites) {
  const host = new URL(url).hostname;
  return sites.some((site) => host === site || host.endsWith(`.${site}`));
}

/** Let the browser run the content script on exactly the marked sites. */
export async function registerScripts() {
  const matches = (await markedSites()).map(patternOf);
  const [registered] = await api.scripting.getRegisteredContentScripts({ ids: [SCRIPT] });
  if (matches.length === 0) {
    if (registered) await api.scripting.unregisterContentScripts({ ids: [SCRIPT] });
    return;
  }
  const script = { id: SCRIPT, matches, js: ["page.js"], runAt: "document_idle" };
  await (registered ? api.scripting.updateContentScripts([script]) : api.scripting.registerContentScripts([script]));
}
