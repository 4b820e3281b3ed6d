// A link with `data-copy-text` copies the text that it leads to; without a script it shows that text.

import { _, answered } from "./texts.js";

export function bindCopies() {
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-copy-text]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || !navigator.clipboard) return;
    event.preventDefault();
    const label = link.textContent;
    try {
      const answer = await fetch(link.href);
      if (!answer.ok) throw new Error(answered(answer.status));
      await navigator.clipboard.writeText(await answer.text());
      link.textContent = _("Copied");
    } catch {
      link.textContent = _("Could not be copied");
    }
    setTimeout(() => { link.textContent = label; }, 2000);
  });
}
