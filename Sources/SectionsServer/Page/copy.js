// Copies cells and rows as text.

import { isCutText, jsonOf, textOf } from "./cells.js";
import { fetchText } from "./request.js";

/**
 * Ctrl+C or ⌘C copies the value of the focused cell, unless text is selected. `place()` has the
 * request of what is shown.
 */
export function handleCopy(grid, place) {
  document.addEventListener("copy", (event) => {
    const item = grid.cursorItem;
    if (event.defaultPrevented || !grid.hasKeys || !item?.row || String(getSelection()) !== "") return;
    event.preventDefault();
    const name = grid.cursorColumn;
    const value = item.row[name];
    if (isCutText(value)) copyWhole(value, name, item, place());
    else event.clipboardData.setData("text/plain", plainText(value));
  });
}

/** Copies a row as a JSON object. Long texts are fetched first. */
export async function copyRow(item, place) {
  const members = await Promise.all(Object.entries(item.row).map(async ([name, value]) => {
    const whole = isCutText(value) ? await fetchText(place.request, item.rowKey, name) : value;
    return `  ${JSON.stringify(name)}: ${jsonOf(whole)}`;
  }));
  copyText(`{\n${members.join(",\n")}\n}`);
}

async function copyWhole(value, name, item, place) {
  // Otherwise what the page holds, which ends in "…".
  copyText(await fetchText(place.request, item.rowKey, name).catch(() => textOf(value)));
}

/** A value as a cell shows it, but in all its lines, and with nothing for `NULL`. */
function plainText(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : textOf(value);
}

/** Copies a text. Unlike `navigator.clipboard`, this also works without HTTPS. */
export function copyText(text) {
  const copy = (event) => {
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", copy, { capture: true });
  const isCopied = document.execCommand("copy");
  // A browser that does not allow it has not called the listener, and the next copy is the user's own.
  document.removeEventListener("copy", copy, { capture: true });
  if (!isCopied) throw new Error("The browser does not allow copying.");
}
