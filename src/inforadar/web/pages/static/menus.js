// Menus: one at a time, closed by a click elsewhere and by Escape. Without a script they open and close by their button.

export function bindMenus() {
  const open = () => document.querySelectorAll("details.menu[open]");
  document.addEventListener("click", (event) => {
    const mine = event.target.closest("details.menu");
    for (const menu of open()) if (menu !== mine) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of open()) {
      if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
      menu.open = false;
    }
  });
}
