// The columns of the grid: their heads and widths.

import { isNumber, make, textOf } from "./cells.js";

const narrowest = 56;
const widest = 340;
const padding = 25;
const context = document.createElement("canvas").getContext("2d");

export class Columns {
  /** `describe(name)` returns the type of a column and whether it is part of the key. */
  constructor(names, describe) {
    this.list = names.map((name) => ({ name, ...describe(name), width: 0, numeric: false }));
  }

  get names() {
    return this.list.map(({ name }) => name);
  }

  /** Sets the widths by the rows of the first window. They stay while the list scrolls. */
  measure(items, font) {
    const rows = items.filter((item) => item.row).slice(0, 80);
    context.font = font;
    for (const column of this.list) {
      const values = rows.map(({ row }) => row[column.name]);
      const known = values.filter((value) => value !== null);
      column.numeric = known.length > 0
        ? known.every(isNumber) : /INT|REAL|NUM|DEC|FLOA|DOUB/i.test(column.type);
      column.width = fittingWidth(column.name, values);
    }
  }

  /** Widens columns whose numbers do not fit: a number that is cut is a wrong number. */
  widen(items, font) {
    context.font = font;
    let isWider = false;
    for (const column of this.list.filter(({ numeric }) => numeric)) {
      const longest = items.reduce((longest, { row }) => {
        const text = row ? textOf(row[column.name]) : "";
        return text.length > longest.length ? text : longest;
      }, "");
      const width = Math.ceil(textWidth(longest)) + padding;
      if (width <= column.width) continue;
      column.width = width;
      isWider = true;
    }
    return isWider;
  }

  /** The value of `grid-template-columns`: columns of text share what numbers leave. */
  get template() {
    const parts = this.list.map(({ width, numeric }) =>
      numeric ? `${width}px` : `minmax(${width}px, ${width}fr)`);
    return this.list.every(({ numeric }) => numeric) ? `${parts.join(" ")} 1fr` : parts.join(" ");
  }

  get width() {
    return this.list.reduce((sum, { width }) => sum + width, 0);
  }

  /** The heads, as buttons that sort. */
  heads(request, onSort) {
    return this.list.map((column, index) => {
      const direction = request.direction(column.name);
      const arrow = { asc: "↑", desc: "↓", null: "" }[direction];
      const button = make("button", { type: "button", title: headTitle(column) },
        make("span", { className: "name" }, column.name),
        make("span", { className: "arrow", "aria-hidden": "true" }, arrow));
      button.addEventListener("click", (event) => onSort(column.name, event.shiftKey));
      return make("div", {
        className: column.numeric ? "cell head numeric" : "cell head",
        role: "columnheader",
        "aria-colindex": index + 1,
        "aria-sort": { asc: "ascending", desc: "descending", null: "none" }[direction],
      }, button);
    });
  }
}

function headTitle({ name, type, key }) {
  const kind = [type, key ? "key" : ""].filter(Boolean).join(", ");
  return `${name}${kind ? ` (${kind})` : ""}: click to sort, with Shift to sort by several columns`;
}

/** The width of a text in the grid. All digits have one width there: a little more than 0 has. */
function textWidth(text) {
  return context.measureText(text.replace(/\d/g, "0")).width * 1.06;
}

/** The width that fits the name and all but the longest values. */
function fittingWidth(name, values) {
  const widths = values.map((value) => textWidth(textOf(value).slice(0, 120)))
    .sort((one, other) => one - other);
  const usual = widths[Math.floor((widths.length - 1) * 0.95)] ?? 0;
  const head = textWidth(name) * 0.9 + 16;
  return Math.ceil(Math.min(widest, Math.max(narrowest, usual + padding, head + padding)));
}
