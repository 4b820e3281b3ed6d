// Times in the reader's own zone; the server writes them in UTC.

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const parts = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" };
const day = new Intl.DateTimeFormat(undefined, parts);
const dayOfYear = new Intl.DateTimeFormat(undefined, { ...parts, year: "numeric" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

export function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) {
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
  if (zone) zone.textContent = `times in ${Intl.DateTimeFormat().resolvedOptions().timeZone || "your zone"}`;
}

export function clockTime(at) {
  return clock.format(new Date(at));
}
