// The options: where Info Radar is, the token, and the sites whose headlines are marked.

import { api, ask, cleanAddress, loadSettings, permissionFor, ServerFault } from "./server.js";
import { chosenSites, chooseSite, dropSite, markedSites, permissionOf } from "./sites.js";
import { make, siteOf } from "./words.js";

const byId = (id) => document.getElementById(id);

async function start() {
  const { address, token } = await loadSettings();
  byId("address").value = address;
  byId("token").value = token;
  byId("server").addEventListener("submit", save);
  byId("add").addEventListener("submit", addSite);
  api.storage.onChanged.addListener(listSites);
  api.permissions.onAdded.addListener(listSites);
  api.permissions.onRemoved.addListener(listSites);
  await listSites();
}

function say(id, sentence, isFault = false) {
  byId(id).textContent = sentence;
  byId(id).classList.toggle("fault", isFault);
}

async function save(event) {
  event.preventDefault();
  const address = cleanAddress(byId("address").value);
  if (address === null) {
    say("state", "That is not an address. It should look like https://news.example.com or 192.168.1.5:8321.", true);
    return;
  }
  // The browser asks only in answer to a click, so nothing may be awaited first.
  const isPermitted = await api.permissions.request(permissionFor(address)).catch(() => false);
  const token = byId("token").value.trim();
  byId("address").value = address;
  await api.storage.local.set({ address, token });
  if (!isPermitted) {
    say("state", `Saved, but the browser does not let the extension reach ${address}. Save again and allow it.`, true);
    return;
  }
  say("state", "Checking …");
  try {
    await ask("/api/items/lookup", { body: { urls: [] } });
    say("state", `Saved. ${await greeting(token)}`);
  } catch (fault) {
    say("state", `Saved. ${fault.message}`, true);
  }
}

async function greeting(token) {
  if (!token) return "Connected for reading. Following sites needs a token.";
  const { name, admin } = await ask("/api/session");
  // Where reading is open, a wrong token is not refused before the first change.
  if (!name) throw new ServerFault("Info Radar answers, but does not know this token.");
  return `Connected as ${name}.${admin ? "" : " Only an admin can follow sites."}`;
}

async function listSites() {
  const [sites, marked] = await Promise.all([chosenSites(), markedSites()]);
  const rows = sites.map((site) => {
    const stop = make("button", { "aria-label": `Stop marking ${site}` }, "Stop");
    stop.addEventListener("click", () => dropSite(site));
    if (marked.includes(site)) return make("li", {}, site, stop);
    const allow = make("button", {}, "Allow");
    allow.addEventListener("click", () => api.permissions.request(permissionOf(site)).catch(() => false));
    return make("li", {}, make("span", {}, site, make("span", { class: "soft" }, " · not allowed by the browser")), make("span", {}, allow, " ", stop));
  });
  byId("sites").replaceChildren(...(rows.length > 0 ? rows : [make("li", { class: "soft" }, "None yet. Open a site, click the button, and switch its marks on.")]));
}

async function addSite(event) {
  event.preventDefault();
  const address = cleanAddress(byId("site").value);
  const site = address && siteOf(address);
  if (!site) {
    say("site-state", "That is not a site. It should look like example.com.", true);
    return;
  }
  const isPermitted = await api.permissions.request(permissionOf(site)).catch(() => false);
  if (!isPermitted) {
    say("site-state", `The browser did not allow ${site}.`, true);
    return;
  }
  await chooseSite(site);
  byId("site").value = "";
  say("site-state", "");
}

start();
