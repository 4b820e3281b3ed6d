// The client of Info Radar's API. Only the extension's own pages and its background script use it: pages of the web
// never see the token.

export const api = globalThis.browser ?? globalThis.chrome;

export const DEFAULT_ADDRESS = "http://127.0.0.1:8321";
export const MAX_PAGES = 200; // the server's limit for one lookup
const TIMEOUT_MS = 15_000;
const DISCOVER_TIMEOUT_MS = 90_000; // up to three polite requests to a slow site

/** A fault with a sentence for people; `needsOptions` if the options can mend it. */
export class ServerFault extends Error {
  constructor(sentence, { status = 0, needsOptions = false } = {}) {
    super(sentence);
    this.status = status;
    this.needsOptions = needsOptions;
  }
}

export async function loadSettings() {
  const { address = DEFAULT_ADDRESS, token = "" } = await api.storage.local.get(["address", "token"]);
  return { address, token };
}

/** The address without a slash at its end, or null if it is not one of http or https. */
export function cleanAddress(given) {
  const text = given.trim();
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
    if (!["http:", "https:"].includes(url.protocol) || url.username || url.password) return null;
    return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  } catch {
    return null;
  }
}

/** The host permission that requests to an address need. Match patterns have no port. */
export function permissionFor(address) {
  const url = new URL(address);
  return { origins: [`${url.protocol}//${url.hostname}/*`] };
}

export async function ask(path, { body, timeout = TIMEOUT_MS, settings } = {}) {
  const { address, token } = settings ?? (await loadSettings());
  if (!(await api.permissions.contains(permissionFor(address)))) {
    throw new ServerFault(`The browser does not let the extension reach ${address}. Save the options once to allow it.`, {
      needsOptions: true,
    });
  }
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(address + path, {
      method: body === undefined ? "GET" : "POST",
      body: body === undefined ? undefined : JSON.stringify(body),
      headers,
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(timeout),
    });
  } catch (fault) {
    const what = fault.name === "TimeoutError" ? "took too long to answer" : "does not answer";
    throw new ServerFault(`Info Radar ${what} at ${address}. Start it, or change the address in the options.`, {
      needsOptions: true,
    });
  }
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  throw faultOf(response.status, answer, address, token);
}

function faultOf(status, answer, address, token) {
  if (status === 401) {
    const sentence = token
      ? "Info Radar does not accept the token. Enter another one in the options."
      : "Info Radar asks for a token. Enter it in the options.";
    return new ServerFault(sentence, { status, needsOptions: true });
  }
  const detail = answer && typeof answer.detail === "string" ? answer.detail : "";
  return new ServerFault(detail || `${address} answered ${status}. Is that Info Radar's address?`, {
    status,
    needsOptions: !detail,
  });
}

/** The items of these pages: {url: item}; pages that are not known are left out. */
export async function lookUp(urls) {
  const { items } = await ask("/api/items/lookup", { body: { urls: urls.slice(0, MAX_PAGES) } });
  return items;
}

/** Everything told of an item's story, or null if it stands alone. */
export async function loadStory(item) {
  if (!item.story) return null;
  return ask(`/api/stories/${encodeURIComponent(item.story.id)}`).catch(noneIfUnknown);
}

/** Whether a feed of the site is followed. */
export async function isFollowed(host) {
  return (await ask(`/api/site?limit=1&root=${encodeURIComponent(host)}`).catch(noneIfUnknown)) !== null;
}

function noneIfUnknown(fault) {
  if (fault.status === 404) return null;
  throw fault;
}

/** Find the feeds of a site and add the first that is not followed yet; return it and the others that were found. */
export async function follow(url) {
  const { found } = await ask("/api/discover", { body: { url }, timeout: DISCOVER_TIMEOUT_MS });
  const [first, ...others] = found.filter((feed) => !feed.known);
  if (first) await addFeed(first);
  return { added: first ?? null, others, known: found.filter((feed) => feed.known) };
}

export async function addFeed(feed) {
  await ask("/api/feeds", { body: { url: feed.url, kind: feed.kind } });
}
