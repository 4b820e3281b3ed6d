// Times in the reader's own zone; the server writes them in UTC.

import { _, locale } from "./texts.js";

// The zone that the reader chose, else the browser's.
const timeZone = document.documentElement.dataset.zoneName || undefined;
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", timeZone });
const parts = { timeZone, day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
const day = new Intl.DateTimeFormat(locale, parts);
const dayOfYear = new Intl.DateTimeFormat(locale, { ...parts, year: "numeric" });
const full = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "long", timeZone });

export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-day])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.title = full.format(at);
    // "12 minutes ago" is right in every zone; a date is not.
    if (time.textContent.endsWith("UTC")) {
      const format = at.getFullYear() === new Date().getFullYear() ? day : dayOfYear;
      time.textContent = format.format(at);
    }
  }
  const zone = root.querySelector?.("[data-zone]");
  if (zone) zone.textContent = _("times in %(zone)s", { zone: (timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone) || _("your zone") });
}

export function clockTime(at) {
  return clock.format(new Date(at));
}
