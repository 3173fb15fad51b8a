// The list on the screen. Only the lines that are visible, and some above and below, are elements.

import { fillCell, fillNamed, isImage, isSame, make, numbers, rebuild, shownTitle, totalsTexts } from "./cells.js";
import { rove } from "./columns.js";
import { appear, clearMarks, leave, mark, mayMove, moveFrom, placesOf } from "./motion.js";
import { ScrollPlace } from "./scroll.js";

const margin = 8;

export class Grid {
  #views = new Map(); // The lines that are elements, by their keys.
  #columns = null;
  #request = null; // Of what is shown.

  /**
   * `handlers`: `onRange(first, last)`, `onScroll()`, `onSettle()`, `onCursor()`, `onOpen()`, and `nameOf(column, value)`
   * for the name of what a foreign key refers to, or null.
   */
  constructor(root, handlers) {
    this.handlers = handlers;
    this.root = root;
    this.head = make("div", { id: "head", className: "row", role: "row", "aria-rowindex": 1 });
    this.sticky = make("div", { id: "sticky", className: "row section", "aria-hidden": "true" });
    this.track = make("div", { id: "track", role: "rowgroup" });
    this.empty = make("p", { id: "empty", hidden: true });
    const heads = make("div", { id: "heads", role: "rowgroup" }, this.head);
    rove(this.head);
    root.replaceChildren(heads, this.sticky, this.track, this.empty);
    root.tabIndex = 0;
    this.place = new ScrollPlace(root, this.track, () => handlers.onSettle());
    this.window = null;
    this.isGrouped = false;
    /** The line and column with the focus; its key, if its row is known. */
    this.cursor = { line: 0, column: 0, key: null };
    root.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    clearMarks(this.track);
    root.addEventListener("click", (event) => this.#clicked(event));
    new ResizeObserver(() => this.render()).observe(root);
  }

  /** Shows other columns, or the heads of another order. */
  setColumns(columns, request, onSort, onValues) {
    this.#columns = columns;
    this.#request = request;
    this.isGrouped = request.by !== null;
    rebuild(this.head, columns.heads(request, {
      onSort, onValues, onResize: () => this.applyWidths(), shown: () => this.#shownItems,
    }));
    this.applyWidths();
    this.root.setAttribute("aria-colcount", columns.list.length);
    this.root.classList.toggle("wide", columns.list.length > 8);
    for (const { element } of this.#views.values()) element.remove();
    this.#views.clear();
  }

  applyWidths() {
    this.root.style.setProperty("--columns", this.#columns.template);
    this.root.style.setProperty("--row-width", `${this.#columns.width}px`);
  }

  get font() {
    // The shorthand `font` is empty: it cannot say that digits have one width.
    const { fontSize, fontFamily } = getComputedStyle(this.track);
    return `${fontSize} ${fontFamily}`;
  }

  /** The first and the last line that are visible. */
  get visible() {
    const { top, lineHeight, viewHeight, lines } = this.place;
    const last = Math.min(lines - 1, Math.ceil((top + viewHeight) / lineHeight) - 1);
    return { first: Math.min(Math.floor(top / lineHeight), Math.max(0, last)), last };
  }

  get #shownItems() {
    const { first, last } = this.visible;
    return range(first, last).map((line) => this.window.item(line)).filter((item) => item !== null);
  }

  /** Shows a window without movement: another part of the list, or another list. */
  show(window) {
    this.#adopt(window);
    this.render();
  }

  /** Shows nothing, until there is another list: no row may stand under the name of another list. */
  clear() {
    this.window = null;
    this.#views.clear();
    this.track.replaceChildren();
    this.head.replaceChildren();
    this.sticky.hidden = true;
    this.sticky.header = null;
    this.empty.hidden = true;
    this.place.setLines(0);
    this.place.moveTo(0);
  }

  scrollToLine(line) {
    this.place.moveTo(line * this.place.lineHeight);
    this.render();
  }

  /**
   * Shows the window after a change; `marks`: what happened to which key. Returns a line that kept
   * its place, before and now, or null.
   */
  change(window, marks) {
    const staying = mayMove() ? this.track.querySelectorAll(".row:not(.leaving)") : [];
    const places = placesOf(staying);
    const { isAtStart, isAtEnd } = this.place;
    const anchor = isAtStart ? null : this.#anchor(window, marks);
    const shift = anchor === null ? 0 : anchor.now - anchor.before;
    this.#adopt(window);
    // At the end of the list, rows that come there are followed.
    const follows = isAtEnd && !isAtStart;
    this.place.moveTo(follows ? this.place.lastTop : this.place.top + shift * this.place.lineHeight);
    this.#followCursor(shift);
    const known = new Set(this.#views.keys());
    const marked = [];
    this.#draw({ marked, leaves: mayMove() });
    moveFrom(places);
    mark([...marked, ...this.#markedRows(marks, known)]);
    return anchor;
  }

  render() {
    if (this.window !== null) this.#draw({ marked: null, leaves: false });
  }

  /** Moves the focus to a line and, if given, a column. */
  moveCursor(line, column = this.cursor.column) {
    const last = Math.max(0, this.place.lines - 1);
    const target = Math.min(Math.max(0, line), last);
    const lastColumn = this.#columns.list.length - 1;
    this.cursor = {
      line: target,
      column: Math.min(Math.max(0, column), lastColumn),
      key: this.window.item(target)?.key ?? null,
    };
    this.#reveal(target);
    this.render();
    this.track.querySelector("#cursor")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.handlers.onCursor();
  }

  /** Moves the focus to the next row, or to the one before: over headers. */
  moveToRow(step) {
    let line = this.cursor.line + step;
    while (this.window.item(line)?.header) line += step;
    if (line >= 0 && line < this.place.lines) this.moveCursor(line);
  }

  get cursorItem() {
    return this.window?.item(this.cursor.line) ?? null;
  }

  /** Whether keys are meant for the grid: no control of the page has the focus. */
  get hasKeys() {
    return document.activeElement === this.root || document.activeElement === document.body;
  }

  get cursorColumn() {
    return this.columnNames[this.cursor.column];
  }

  get columnNames() {
    return this.#columns.names;
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

  #adopt(window) {
    this.window = window;
    this.place.lineHeight = this.head.offsetHeight || 32;
    this.place.headHeight = this.head.offsetHeight;
    this.place.setLines(window.lines);
    this.place.moveTo(this.place.top);
    this.root.setAttribute("aria-rowcount", window.lines + 1);
    this.empty.hidden = window.lines > 0;
  }

  /** The first visible line that is also in the new window, at its place. */
  #anchor(window, marks) {
    const { first, last } = this.visible;
    const isCut = this.place.top > first * this.place.lineHeight;
    const start = first + (isCut ? 1 : 0) + (this.isGrouped ? 1 : 0);
    const candidates = [...range(start, last), ...range(this.window.from, start - 1).reverse()];
    for (const before of candidates) {
      const item = this.window.item(before);
      const now = item ? window.line(item.key) : null;
      if (now !== null && marks.get(item.key) !== "moved") return { before, now };
    }
    return null;
  }

  #scrolled() {
    this.place.followScrollBar();
    this.render();
    this.handlers.onScroll();
  }

  /** `marked` gets the cells that changed, if it is not null. */
  #draw({ marked, leaves }) {
    const { first, last } = this.visible;
    const views = new Map();
    const lines = range(Math.max(0, first - margin), Math.min(this.place.lines - 1, last + margin));
    for (const line of lines) {
      const item = this.window.item(line);
      const key = item?.key ?? `blank ${line}`;
      const view = this.#views.get(key) ?? this.#makeView(item);
      if (view.item !== item) this.#fill(view, item, marked);
      view.line = line;
      view.element.style.top = `${this.place.y(line)}px`;
      view.element.setAttribute("aria-rowindex", line + 2);
      views.set(key, view);
    }
    this.#replaceViews(views, leaves);
    this.#drawCursor();
    this.#drawSticky(first);
    if (last >= 0) this.handlers.onRange(first, last);
  }

  #replaceViews(views, leaves) {
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

  #makeView(item) {
    const element = make("div", { role: "row" });
    const view = { element, item: null, line: 0, cells: [] };
    element.view = view;
    if (item === null) element.className = "row blank";
    else this.#fill(view, item, null);
    return view;
  }

  #fill(view, item, marked) {
    if (item.header) {
      view.element.className = "row section";
      fillHeader(view.element, item.header);
      view.cells = [view.element.firstElementChild];
    } else if (view.cells.length === 0) {
      view.element.className = "row";
      view.cells = this.#columns.list.map((column, index) => this.#makeCell(column, index, item));
      view.element.replaceChildren(...view.cells);
    } else {
      this.#refill(view, item, marked);
    }
    view.item = item;
  }

  #refill(view, item, marked) {
    this.#columns.list.forEach((column, index) => {
      const value = item.row[column.name];
      const isChanged = !isSame(view.item.row[column.name], value);
      // Another image may be as long as the one before.
      if (isChanged || isImage(value)) this.#fillCell(view.cells[index], column, item);
      if (isChanged) marked?.push([view.cells[index], "updated"]);
    });
  }

  #makeCell(column, index, item) {
    const className = column.numeric ? "cell numeric" : "cell";
    const cell = make("div", { className, role: "gridcell", "aria-colindex": index + 1, dir: "auto" });
    this.#fillCell(cell, column, item);
    return cell;
  }

  #fillCell(cell, column, item) {
    const name = this.handlers.nameOf(column.name, item.row[column.name]);
    if (name !== null) return fillNamed(cell, name, item.row[column.name]);
    cell.classList.remove("named");
    // The server does not know `version`: a browser would take the image of before for the one of now.
    const address = `${this.#request.valueAddress(item.rowKey, column.name)}&version=${this.window.version}`;
    return fillCell(cell, item.row[column.name], column.write, address);
  }

  /** Writes the cells of some columns again: what they refer to has other names. */
  refill(names) {
    if (this.window === null) return;
    const rows = [...this.#views.values()].filter(({ item }) => item?.row);
    const places = [...this.#columns.list.entries()].filter(([, { name }]) => names.includes(name));
    for (const [index, column] of places) {
      for (const { cells, item } of rows) this.#fillCell(cells[index], column, item);
    }
    const texts = (name) => rows.map(({ item }) => {
      const named = this.handlers.nameOf(name, item.row[name]);
      return named === null ? "" : `${named} ${String(item.row[name])}`;
    });
    if (this.#columns.makeRoom(names, texts, this.font)) this.applyWidths();
  }

  /** The values of a column that are on the screen, or just above and below. */
  shownValues(name) {
    return [...this.#views.values()].filter(({ item }) => item?.row).map(({ item }) => item.row[name]);
  }

  /** The rows to mark. Those that were not on the screen before appear. */
  #markedRows(marks, known) {
    const rows = [...marks].filter(([key]) => this.#views.has(key));
    return rows.map(([key, kind]) => {
      const { element } = this.#views.get(key);
      if (mayMove() && !known.has(key)) appear(element);
      return [element, kind];
    });
  }

  /** Keeps the header of the first visible section at the top; the next one pushes it away. */
  #drawSticky(first) {
    const header = this.isGrouped ? headerOf(this.window, first) : null;
    this.sticky.hidden = header === null;
    if (header === null) return;
    if (this.sticky.header !== header) fillHeader(this.sticky, header);
    this.sticky.header = header;
    const { lineHeight, top } = this.place;
    const isPushed = this.window.item(first + 1)?.header !== undefined;
    const way = isPushed ? top - first * lineHeight : 0;
    this.sticky.style.transform = `translateY(${-way}px)`;
  }

  #drawCursor() {
    this.track.querySelector("#cursor")?.removeAttribute("id");
    for (const view of this.#views.values()) {
      const isHere = view.line === this.cursor.line && view.item !== null;
      view.element.classList.toggle("current", isHere);
      if (!isHere) continue;
      this.cursor.key = view.item.key;
      (view.cells[this.cursor.column] ?? view.cells[0])?.setAttribute("id", "cursor");
    }
    // The line may have been scrolled away.
    if (this.track.querySelector("#cursor") === null) this.root.removeAttribute("aria-activedescendant");
    else this.root.setAttribute("aria-activedescendant", "cursor");
  }

  #followCursor(shift) {
    const line = this.cursor.key === null ? null : this.window.line(this.cursor.key);
    const shifted = Math.min(this.cursor.line + shift, this.place.lines - 1);
    this.cursor.line = line ?? Math.max(0, shifted);
  }

  #reveal(line) {
    const { lineHeight, top, viewHeight } = this.place;
    const above = this.isGrouped && line > 0 ? lineHeight : 0;
    const y = line * lineHeight;
    if (y - above < top) this.place.moveTo(y - above);
    else if (y + lineHeight > top + viewHeight) this.place.moveTo(y + lineHeight - viewHeight);
  }

  #clicked(event) {
    const view = event.target.closest("#track > .row")?.view;
    if (!view?.item || !getSelection().isCollapsed) return;
    const cell = event.target.closest("[aria-colindex]");
    this.moveCursor(view.line, cell ? Number(cell.getAttribute("aria-colindex")) - 1 : 0);
    if (view.item.row) this.handlers.onOpen();
  }
}

function range(first, last) {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** A section's title, count and totals. */
function fillHeader(element, { section, title, count, totals }) {
  const label = make("div", { className: "label", role: "gridcell" },
    make("span", { className: section === null ? "name null" : "name", dir: "auto" }, shownTitle(section, title)),
    make("span", { className: "count" }, numbers.format(count)),
    ...totalsTexts(totals).map((text) => make("span", { className: "totals" }, text)));
  element.replaceChildren(label);
}

/** The header of the section that a line belongs to, or null if it is not known. */
function headerOf(window, line) {
  if (line < window.from || line >= window.end) return null;
  for (let place = line - window.from; place >= 0; place--) {
    if (window.items[place].header) return window.items[place].header;
  }
  return window.sticky;
}

/** The number of headers from the first line of the list to a line, that one included. */
export function headerCount(window, line) {
  let count = 0;
  for (let at = Math.min(line, window.end - 1); at >= window.from; at--) {
    if (window.item(at)?.header) count++;
  }
  return count + window.firstSection + (window.sticky ? 1 : 0);
}
