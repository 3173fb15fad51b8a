// The list on the page: its columns, and each window of it as it comes.

import { Columns } from "./columns.js";
import { Frames } from "./frames.js";
import { described } from "./types.js";

const linesAboveRow = 4; // Above a row that the address names.

export class ListView {
  #widths = new Map(); // The widths of columns that the user has chosen, by the source.
  #frames = new Frames((window, marks) => this.#drawChange(window, marks));
  #columns = null;

  /**
   * `now()` returns what is shown: `request`, `window` and `source`, and whether a column is shown by names,
   * `isNamed(column)`. `onSort(name, keepsOthers)` and
   * `onValues(column, button)` are called for the heads of columns, `onShow()` after another part was drawn, and
   * `onChange(marks)` after a change.
   */
  constructor(grid, newer, handlers) {
    this.grid = grid;
    this.newer = newer;
    this.handlers = handlers;
  }

  /** Prepares for another list. */
  begin() {
    this.#frames.cancel();
    this.newer.forget();
  }

  /** Shows the first window of a list: from a line on, or around the row with a key. Returns whether it has that row. */
  showFirst(window, first, key) {
    const line = window.line(`row ${key}`);
    this.#showColumns();
    this.grid.cursor = { line: line ?? first, column: 0, key: null };
    this.grid.show(window);
    this.grid.scrollToLine(line === null ? first : Math.max(0, line - linesAboveRow));
    return line !== null;
  }

  #showColumns() {
    const { request, window, source, isNamed } = this.handlers.now();
    const chosen = this.#widths.get(request.source) ?? new Map();
    this.#widths.set(request.source, chosen);
    this.#columns = new Columns(window.columns, (name) => {
      const { type = "", key = false, references } = described(name, source.columns);
      return { type, key, isReference: references !== undefined, isNamed: isNamed(name) };
    }, chosen);
    this.#columns.measure(window.items, this.grid.font);
    this.grid.setColumns(
      this.#columns, request, this.handlers.onSort,
      (name, button) => this.handlers.onValues(described(name, source.columns), button));
  }

  /** Shows another part of the list. */
  move(window) {
    if (this.#frames.flush(window)) return;
    if (this.#columns.widen(window.items, this.grid.font)) this.grid.applyWidths();
    this.grid.show(window);
    this.handlers.onShow();
  }

  /** Shows another version, with the next frame. */
  change(window, changed) {
    this.#frames.add(window, window.marks(changed));
  }

  #drawChange(window, marks) {
    const before = this.grid.window;
    const isOther = window.columns.join("\n") !== before.columns.join("\n");
    if (isOther) this.#showColumns();
    else if (this.#columns.widen(window.items, this.grid.font)) this.grid.applyWidths();
    const anchor = this.grid.change(window, marks);
    if (anchor !== null) this.newer.count(before, window, anchor);
    this.handlers.onShow();
    this.handlers.onChange(marks);
  }
}
