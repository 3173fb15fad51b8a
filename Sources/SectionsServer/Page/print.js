// Paper shows the lines that the page holds as a plain table: the grid has only what is visible.

import { isNumber, make, numbers, shownTitle, textOf } from "./cells.js";

export function setUpPrint(root, windowNow) {
  addEventListener("beforeprint", () => root.replaceChildren(...table(windowNow())));
  addEventListener("afterprint", () => root.replaceChildren());
}

function table(window) {
  if (window === null) return [];
  const head = make("tr", {}, ...window.columns.map((name) => make("th", {}, name)));
  const rows = window.items.map((item) => item.header ? section(item, window) : row(item, window));
  const part = `Lines ${numbers.format(window.from + 1)} to ${numbers.format(window.end)} `
    + `of ${numbers.format(window.lines)}`;
  return [
    make("table", { className: "plain" },
      make("thead", {}, head), make("tbody", {}, ...rows)),
    make("p", {}, window.items.length < window.lines ? part : ""),
  ];
}

function section({ header: { section: key, title, count } }, { columns }) {
  const label = make("th", { colSpan: columns.length }, `${shownTitle(key, title)} `,
    make("span", { className: "count" }, numbers.format(count)));
  return make("tr", { className: "section" }, label);
}

function row(item, { columns }) {
  const cells = columns.map((name) => {
    const value = item.row[name];
    const className = value === null ? "null" : isNumber(value) ? "number" : "";
    return make("td", { className }, textOf(value));
  });
  return make("tr", {}, ...cells);
}
