// Settings apply at once; without a script, they do with the button.

import { say } from "./say.js";
import { reason, refusal } from "./server.js";
import { _ } from "./texts.js";

const form = document.querySelector("[data-settings]");

form?.addEventListener("change", async (event) => {
  const { name, value } = event.target;
  document.documentElement.dataset[name] = value;
  const body = new URLSearchParams({ [name]: value });
  // Without an account the browser keeps them, and there is no token.
  if (form.elements.csrf) body.set("csrf", form.elements.csrf.value);
  try {
    const answer = await fetch(form.action, { method: "POST", body });
    if (!answer.ok) throw new Error(refusal(answer));
    if (name === "language") location.reload();
    else say(_("Saved."));
  } catch (fault) {
    say(reason(fault));
  }
});
