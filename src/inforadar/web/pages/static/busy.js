// A form that takes a while says so, and cannot be sent twice.

for (const form of document.querySelectorAll("form[data-busy]")) {
  form.addEventListener("submit", () => {
    const button = form.querySelector("button");
    button.textContent = form.dataset.busy;
    button.disabled = true;
  });
}
// Coming back to the page, it is a fresh one.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
