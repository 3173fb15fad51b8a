// The columns of the grid: their heads and widths.

import { isNumber, make, textOf } from "./cells.js";
import { numberText } from "./formats.js";
import { isNumeric } from "./types.js";

const narrowest = 56;
const widest = 340;
const widestFit = 900;
const padding = 25;
const context = document.createElement("canvas").getContext("2d");

export class Columns {
  /**
   * `describe(name)` returns the type of a column, and whether it is part of the key, a reference, or one that is shown by
   * a name. `chosen`: the widths that the user has chosen, by the names of the columns.
   */
  constructor(names, describe, chosen) {
    this.list = names.map((name) => ({
      name, ...describe(name), width: chosen.get(name) ?? 0, needed: 0, numeric: false, write: textOf,
    }));
    this.chosen = chosen;
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
      column.numeric = known.length > 0 ? known.every(isNumber) : isNumeric(column);
      column.write = numberText(column, known);
      column.needed = widthOfNumbers(values, column.write);
      const width = this.chosen.get(column.name) ?? fittingWidth(column.name, values, 0.95, widest);
      column.width = Math.max(width, column.needed);
    }
  }

  /** Widens columns with numbers that do not fit: a number that is cut is a wrong number. */
  widen(items, font) {
    context.font = font;
    let isWider = false;
    for (const column of this.list) {
      const values = items.filter((item) => item.row).map(({ row }) => row[column.name]);
      column.needed = Math.max(column.needed, widthOfNumbers(values, column.write));
      if (column.needed <= column.width) continue;
      column.width = column.needed;
      isWider = true;
    }
    return isWider;
  }

  /** Widens columns for the names that they show: `texts(name)` has them. Returns whether it did. */
  makeRoom(names, texts, font) {
    context.font = font;
    let isWider = false;
    for (const column of this.list.filter(({ name }) => names.includes(name) && !this.chosen.has(name))) {
      const needed = Math.max(0, ...texts(column.name).map(textWidth)) + padding + 6;
      const width = Math.ceil(Math.min(widest / 1.5, needed));
      if (width <= column.width) continue;
      column.width = width;
      isWider = true;
    }
    return isWider;
  }

  /** Sets the width of a column, but not to less than its numbers need. */
  choose(column, width) {
    column.width = Math.max(narrowest, column.needed, Math.round(width));
    this.chosen.set(column.name, column.width);
  }

  /** Sets the width that all values of a column need in some rows. */
  fit(column, items) {
    const values = items.filter((item) => item.row).map(({ row }) => row[column.name]);
    this.choose(column, fittingWidth(column.name, values, 1, widestFit));
  }

  /** Keeps the columns of text as wide as they are drawn, so that dragging one moves no other's edge. */
  freeze(heads) {
    this.list.forEach((column, index) => {
      if (!column.numeric && !this.chosen.has(column.name)) {
        this.choose(column, heads[index].offsetWidth);
      }
    });
  }

  /** The value of `grid-template-columns`: columns of text share what the others leave. */
  get template() {
    const isFixed = ({ name, numeric }) => numeric || this.chosen.has(name);
    const parts = this.list.map((column) => isFixed(column)
      ? `${column.width}px` : `minmax(${column.width}px, ${column.width}fr)`);
    return this.list.every(isFixed) ? `${parts.join(" ")} 1fr` : parts.join(" ");
  }

  get width() {
    return this.list.reduce((sum, { width }) => sum + width, 0);
  }

  /**
   * The heads: a button that sorts, one for the values, and a grip that changes the width. `handlers`:
   * `onSort(name, keepsOthers)`, `onValues(name, button)`, `onResize()`; `shown()` returns the items on the screen.
   */
  heads(request, { onSort, onValues, onResize, shown }) {
    return this.list.map((column, index) => {
      const direction = request.direction(column.name);
      const arrow = { asc: "↑", desc: "↓", null: "" }[direction];
      const button = make(
        "button", { type: "button", title: headTitle(column), "data-name": column.name },
        make("span", { className: "name" }, column.name),
        make("span", { className: "arrow", "aria-hidden": "true" }, arrow));
      button.addEventListener("click", (event) => onSort(column.name, event.shiftKey));
      const label = `Values of ${column.name}`;
      const values = make("button", {
        type: "button", className: "values", title: label, "aria-label": label, "aria-haspopup": "dialog",
        "data-name": `${column.name} values`,
      }, "▾");
      values.addEventListener("click", () => onValues(column.name, values));
      const head = make("div", {
        // A foreign key is shown as a name, which begins at the left.
        className: column.numeric && !column.isNamed ? "cell head numeric" : "cell head",
        role: "columnheader",
        "aria-label": column.name,
        "aria-colindex": index + 1,
        "aria-sort": { asc: "ascending", desc: "descending", null: "none" }[direction],
      }, button, values, makeGrip((width, heads) => {
        this.freeze(heads);
        if (width === null) this.fit(column, shown());
        else this.choose(column, width);
        onResize();
      }));
      // The rest of the head sorts too.
      head.addEventListener("click", (event) => {
        if (event.target === head) onSort(column.name, event.shiftKey);
      });
      return head;
    });
  }
}

/** Makes the buttons of all heads one stop of the Tab key; the arrows move between them. */
export function rove(head) {
  const buttons = () => [...head.querySelectorAll("button")];
  const choose = (button) => buttons().forEach((one) => { one.tabIndex = one === button ? 0 : -1; });
  head.addEventListener("focusin", ({ target }) => choose(target));
  head.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const all = buttons();
    all[Math.min(Math.max(0, all.indexOf(event.target) + step), all.length - 1)]?.focus();
  });
  new MutationObserver(() => {
    if (!buttons().includes(document.activeElement)) choose(buttons()[0]);
  }).observe(head, { childList: true });
}

/**
 * The edge of a head that is dragged. `onResize(width, heads)`: the new width, or null for the fitting
 * one, and all heads.
 */
function makeGrip(onResize) {
  const grip = make("span", {
    className: "grip", title: "Drag to change the width, double-click to fit", "aria-hidden": "true",
  });
  const resize = (width) => onResize(width, grip.closest(".row").children);
  let start = null; // Where the head begins, while the grip is dragged.
  grip.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    // The grip stays under the pointer.
    start = event.clientX - grip.parentElement.offsetWidth;
  });
  grip.addEventListener("pointermove", (event) => {
    if (start !== null) resize(event.clientX - start);
  });
  grip.addEventListener("lostpointercapture", () => { start = null; });
  grip.addEventListener("dblclick", () => resize(null));
  return grip;
}

function headTitle({ name, type, key }) {
  const kind = [type, key ? "key" : ""].filter(Boolean).join(", ");
  return `${name}${kind ? ` (${kind})` : ""}: click to sort, with Shift to sort by several columns`;
}

/** The width of a text in the grid. All digits have one width there: a little more than 0 has. */
function textWidth(text) {
  return context.measureText(text.replace(/\d/g, "0")).width * 1.06;
}

/** The width that fits the longest number of some values, as `write` writes them; 0 if there is none. */
function widthOfNumbers(values, write) {
  const numbers = values.filter(isNumber).map(write);
  const longest = numbers.reduce((longest, text) => (text.length > longest.length ? text : longest), "");
  return longest === "" ? 0 : Math.ceil(textWidth(longest)) + padding;
}

/** The width, up to a limit, that fits the name and a share of the values: 1 for all of them. */
function fittingWidth(name, values, share, limit) {
  const widths = values.map((value) => textWidth(textOf(value).slice(0, 120)))
    .sort((one, other) => one - other);
  const needed = widths[Math.floor((widths.length - 1) * share)] ?? 0;
  const head = textWidth(name) * 0.9 + 34;
  return Math.ceil(Math.min(limit, Math.max(narrowest, needed + padding, head + padding)));
}
