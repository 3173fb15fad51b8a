// Copies cells and rows as text.

import { isCutText, jsonOf, shownTitle, textOf } from "./cells.js";
import { fetchText } from "./request.js";

/**
 * Ctrl+C or ⌘C copies the value of the focused cell, or the selected cells as lines with tabs. `place()` has the
 * request of what is shown.
 */
export function handleCopy(grid, place) {
  document.addEventListener("copy", (event) => {
    if (event.defaultPrevented || !grid.hasKeys) return;
    const table = selectedTable(grid);
    if (table !== null) {
      event.preventDefault();
      event.clipboardData.setData("text/plain", table);
      return;
    }
    const item = grid.cursorItem;
    if (!item?.row || String(getSelection()) !== "") return;
    event.preventDefault();
    const name = grid.cursorColumn;
    const value = item.row[name];
    if (isCutText(value)) copyWhole(value, name, item, place());
    else event.clipboardData.setData("text/plain", plainText(value));
  });
}

/** Copies a row as a JSON object. Long texts are fetched first. */
export async function copyRow(item, place) {
  const members = await Promise.all(place.columns.map(async (name) => {
    const value = item.row[name];
    const whole = isCutText(value) ? await fetchText(place.request, item.rowKey, name) : value;
    return `  ${JSON.stringify(name)}: ${jsonOf(whole)}`;
  }));
  copyText(`{\n${members.join(",\n")}\n}`);
}

/** The selected cells as lines with tabs; null if they are not several. The browser would copy one cell a line. */
function selectedTable(grid) {
  const lines = grid.selectedCells(getSelection());
  const columns = lines.flatMap((line) => line.columns);
  if (columns.length < 2) return null;
  const [first, last] = [Math.min(...columns), Math.max(...columns)];
  return lines.map(({ item, columns }) => {
    if (item.header) return shownTitle(item.header.section, item.header.title);
    const fields = [];
    for (let index = first; index <= last; index++) {
      fields.push(columns.includes(index) ? field(plainText(item.row[grid.columnNames[index]])) : "");
    }
    return fields.join("\t");
  }).join("\n");
}

/** A field of a line, in quotes if it has tabs, line ends or quotes itself: so spreadsheets read it. */
function field(text) {
  return /[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
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
