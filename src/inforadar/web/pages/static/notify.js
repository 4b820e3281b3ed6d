// Notifications of rules with the channel "screen", while a page is open and the browser allows them.
function listen() {
  const root = document.querySelector('meta[name="root"]').content;
  const source = new EventSource(`${root}/api/events?kinds=match`);
  source.addEventListener("match", (event) => {
    const match = JSON.parse(event.data);
    // The tag lets several open pages show one notification.
    const shown = new Notification(match.title, { body: match.rule, tag: `inforadar-${match.id}` });
    shown.onclick = () => window.open(`${root}/item/${match.item.id}`, "_blank", "noopener");
  });
}

export function bindNotifications() {
  if ("Notification" in window && document.querySelector('meta[name="csrf"]')) {
    if (Notification.permission === "granted") listen();
    for (const button of document.querySelectorAll("[data-notify]")) {
      button.hidden = Notification.permission === "granted";
      button.addEventListener("click", async () => {
        if ((await Notification.requestPermission()) === "granted") listen();
        button.hidden = true;
      });
    }
  }
}
