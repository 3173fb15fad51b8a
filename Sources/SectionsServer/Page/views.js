// The elements of the lines on the screen: made, filled and put into their order.

import { fillCell, fillNamed, isImage, isSame, make } from "./cells.js";
import { fillHeader } from "./headers.js";
import { appear, leave, mayMove } from "./motion.js";

export class LineViews {
  #views = new Map(); // By the keys of the lines.
  #columns = null;
  #request = null;

  /** `nameOf(column, value)` returns the name of what a foreign key refers to, or null. */
  constructor(track, nameOf) {
    this.track = track;
    this.nameOf = nameOf;
  }

  /** Shows other columns: all lines are made anew. */
  setColumns(columns, request) {
    this.#columns = columns;
    this.#request = request;
    this.clear();
  }

  clear() {
    for (const { element } of this.#views.values()) element.remove();
    this.#views.clear();
  }

  [Symbol.iterator]() {
    return this.#views.values();
  }

  get keys() {
    return new Set(this.#views.keys());
  }

  /** The name of the section in a header; null if it has none. */
  nameOfSection = (section) => this.nameOf(this.#request.by, section);

  /**
   * Shows lines of a window. `y(line)` says where they are; `marked` gets the cells that changed, if it is not null; and
   * `leaves` says whether lines that are gone leave visibly.
   */
  draw(window, lines, y, { marked, leaves }) {
    const views = new Map();
    for (const line of lines) {
      const item = window.item(line);
      const key = item?.key ?? `blank ${line}`;
      const view = this.#views.get(key) ?? this.#make(item, window);
      if (view.item !== item) this.#fill(view, item, window, marked);
      view.line = line;
      view.element.style.top = `${y(line)}px`;
      view.element.setAttribute("aria-rowindex", line + 2);
      views.set(key, view);
    }
    this.#replace(views, leaves);
  }

  #replace(views, leaves) {
    for (const [key, { element }] of this.#views) {
      if (views.has(key)) continue;
      if (leaves && !key.startsWith("blank")) leave(element);
      else element.remove();
    }
    let previous = null;
    for (const { element } of views.values()) {
      // The order of the elements is that of the lines: it is what a screen reader follows.
      const next = previous ? previous.nextElementSibling : this.track.firstElementChild;
      if (next !== element) this.track.insertBefore(element, next);
      previous = element;
    }
    this.#views = views;
  }

  #make(item, window) {
    const element = make("div", { role: "row" });
    const view = { element, item: null, line: 0, cells: [] };
    element.view = view;
    if (item === null) element.className = "row blank";
    else this.#fill(view, item, window, null);
    return view;
  }

  #fill(view, item, window, marked) {
    if (item.header) {
      view.element.className = "row section";
      fillHeader(view.element, item.header, this.nameOfSection);
      view.cells = [view.element.firstElementChild];
    } else if (view.cells.length === 0) {
      view.element.className = "row";
      view.cells = this.#columns.list.map((column, index) => this.#makeCell(column, index, item, window));
      view.element.replaceChildren(...view.cells);
    } else {
      this.#fillChanged(view, item, window, marked);
    }
    view.item = item;
  }

  #fillChanged(view, item, window, marked) {
    this.#columns.list.forEach((column, index) => {
      const value = item.row[column.name];
      const isChanged = !isSame(view.item.row[column.name], value);
      // Another image may be as long as the one before.
      if (isChanged || isImage(value)) this.#fillCell(view.cells[index], column, item, window);
      if (isChanged) marked?.push([view.cells[index], "updated"]);
    });
  }

  #makeCell(column, index, item, window) {
    const className = column.numeric ? "cell numeric" : "cell";
    const cell = make("div", { className, role: "gridcell", "aria-colindex": index + 1, dir: "auto" });
    this.#fillCell(cell, column, item, window);
    return cell;
  }

  #fillCell(cell, column, item, window) {
    const name = this.nameOf(column.name, item.row[column.name]);
    if (name !== null) return fillNamed(cell, name, item.row[column.name]);
    cell.classList.remove("named");
    // The server does not know `version`: a browser would take the image of before for the one of now.
    const address = `${this.#request.valueAddress(item.rowKey, column.name)}&version=${window.version}`;
    return fillCell(cell, item.row[column.name], column.write, address);
  }

  /**
   * Writes the cells of some columns again, and the headers if the sections are by one of them: what they refer to has
   * other names. Returns the texts of a column with names, by its name.
   */
  refill(names, window) {
    const all = [...this.#views.values()];
    const rows = all.filter(({ item }) => item?.row);
    for (const [index, column] of this.#columns.list.entries()) {
      if (!names.includes(column.name)) continue;
      for (const { cells, item } of rows) this.#fillCell(cells[index], column, item, window);
    }
    if (names.includes(this.#request.by)) {
      for (const view of all.filter(({ item }) => item?.header)) this.#fill(view, view.item, window, null);
    }
    return (name) => rows.map(({ item }) => {
      const named = this.nameOf(name, item.row[name]);
      return named === null ? "" : `${named} ${String(item.row[name])}`;
    });
  }

  /**
   * The values of a column that are on the screen, or just above and below. If the sections are by it, their values too:
   * those in the headers, and `stuck`, that of the one at the top.
   */
  shownValues(name, stuck) {
    const items = [...this.#views.values()].map(({ item }) => item).filter((item) => item !== null);
    const values = items.filter(({ row }) => row && name in row).map(({ row }) => row[name]);
    if (this.#request?.by !== name) return values;
    return [...values, stuck, ...items.filter(({ header }) => header).map(({ header }) => header.section)];
  }

  /** The cells in a selection: for each line, its `item` and the numbers of its `columns`. */
  selectedCells(selection) {
    if (selection.isCollapsed || selection.rangeCount === 0) return [];
    const { endContainer, endOffset } = selection.getRangeAt(0);
    // A selection of whole lines ends before the first letter of the next one.
    const isSelected = (cell) => selection.containsNode(cell, true)
      && !(endOffset === 0 && cell.contains(endContainer));
    return [...this.#views.values()].filter(({ item }) => item !== null)
      .map(({ item, cells }) => ({ item, columns: [...cells.keys()].filter((index) => isSelected(cells[index])) }))
      .filter(({ columns }) => columns.length > 0);
  }

  /** The rows to mark. Those that were not among the `known` ones before appear. */
  markedRows(marks, known) {
    const rows = [...marks].filter(([key]) => this.#views.has(key));
    return rows.map(([key, kind]) => {
      const { element } = this.#views.get(key);
      if (mayMove() && !known.has(key)) appear(element);
      return [element, kind];
    });
  }
}
