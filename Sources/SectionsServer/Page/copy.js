// Copies cells and rows as text.

import { isCutText, jsonOf, make, plural, shownTitle, textOf } from "./cells.js";
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

/** A button that copies something by `action()`, and says whether it did. */
export function copyButton(title, action) {
  const button = make("button", { type: "button", className: "copy", title, "data-name": "copy" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await action();
      button.textContent = "Copied";
    } catch (error) {
      button.textContent = `${error.message} Try again`;
    }
  });
  return button;
}

/**
 * Offers to copy the selected cells while there are several. `bar` has an element for their number, and a button for
 * each form.
 */
export function offerCopy(grid, bar) {
  const [count, tabs, markdown] = bar.children;
  document.addEventListener("selectionchange", () => {
    const cells = grid.views.selectedCells(getSelection()).reduce((sum, { columns }) => sum + columns.length, 0);
    bar.hidden = cells < 2;
    count.textContent = plural(cells, "cell");
  });
  // The selection stays.
  bar.addEventListener("pointerdown", (event) => event.preventDefault());
  tabs.addEventListener("click", () => copyText(selectedTable(grid) ?? ""));
  markdown.addEventListener("click", () => copyText(selectedMarkdown(grid) ?? ""));
}

/** The selected cells as lines with tabs; null if they are not several. The browser would copy one cell a line. */
function selectedTable(grid) {
  const table = selectedFields(grid);
  if (table === null) return null;
  return table.lines.map(({ title, values }) => title ?? values.map((text) => field(text)).join("\t")).join("\n");
}

/** The selected cells as a table in Markdown, with the names of the columns; null if they are not several. */
function selectedMarkdown(grid) {
  const table = selectedFields(grid);
  if (table === null) return null;
  const escaped = (text) => text.replace(/[\\|]/g, "\\$&").replace(/\r?\n/g, "<br>");
  const line = (texts) => `| ${texts.map(escaped).join(" | ")} |`;
  const rule = table.names.map((_, index) => (table.isNumeric[index] ? "--:" : "---"));
  const empty = table.names.slice(1).map(() => "");
  return [
    line(table.names), `| ${rule.join(" | ")} |`,
    ...table.lines.map(({ title, values }) => line(title === null ? values : [`**${title}**`, ...empty])),
  ].join("\n");
}

/** The columns and lines of the selected cells; null if they are not several. Cells that are not selected are empty. */
function selectedFields(grid) {
  const lines = grid.views.selectedCells(getSelection());
  const columns = lines.flatMap((line) => line.columns);
  if (columns.length < 2) return null;
  const [first, last] = [Math.min(...columns), Math.max(...columns)];
  const indexes = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const names = indexes.map((index) => grid.columnNames[index]);
  return {
    names,
    isNumeric: names.map((name) => lines.every(({ item }) => item.header || typeof item.row[name] !== "string")),
    lines: lines.map(({ item, columns }) => (item.header
      ? { title: shownTitle(item.header.section, item.header.title), values: [] }
      : {
        title: null,
        values: indexes.map((index, at) => (columns.includes(index) ? plainText(item.row[names[at]]) : "")),
      })),
  };
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
