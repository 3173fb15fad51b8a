// The button for light and dark, and what the browser keeps. Without a choice a page follows the system.

/** What the browser keeps for the page, or null if it may keep nothing. */
export function storage() {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

const root = document.documentElement;
const button = document.getElementById("theme");
const chosen = storage()?.getItem("theme");
if (chosen) root.dataset.theme = chosen;
button.hidden = false;
button.addEventListener("click", () => {
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  storage()?.setItem("theme", root.dataset.theme);
});
