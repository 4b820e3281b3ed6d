// Pictures: shown on a click where that is the setting, without a hole where they are broken, and the text below the
// first one does not move when it comes.

export function bindPictures() {
  // With the setting "click", a picture is a link until somebody wants to see it.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-picture]");
    if (!link || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const image = document.createElement("img");
    image.referrerPolicy = "no-referrer";
    image.alt = link.dataset.alt;
    image.src = link.href;
    link.replaceWith(image);
  });
  document.addEventListener("load", (event) => event.target.tagName === "IMG" && event.target.classList.add("loaded"), true);
  document.addEventListener("error", (event) => event.target.tagName === "IMG" && removeBroken(event.target), true);
  for (const image of document.images) {
    if (!image.complete || !image.currentSrc) continue;
    if (image.naturalWidth) image.classList.add("loaded");
    else removeBroken(image);
  }
}

function removeBroken(image) {
  const entry = image.closest(".entry.pictured");
  if (entry) {
    entry.querySelector(".thumb")?.remove();
    entry.classList.remove("pictured");
    return;
  }
  const figure = image.closest(".text figure, .listed figure");
  image.remove();
  if (figure && !figure.querySelector("img") && !figure.textContent.trim()) figure.remove();
}
