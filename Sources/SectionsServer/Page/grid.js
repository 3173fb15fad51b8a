// The list on the screen. Only the lines that are visible, and some above and below, are elements.

import { make, rebuild } from "./cells.js";
import { rove } from "./columns.js";
import { StickyHeader } from "./headers.js";
import { clearMarks, mark, mayMove, moveFrom, placesOf } from "./motion.js";
import { ScrollPlace } from "./scroll.js";
import { LineViews } from "./views.js";

const margin = 8;

export class Grid {
  #columns = null;

  /**
   * `handlers`: `onRange(first, last)`, `onScroll()`, `onSettle()`, `onCursor()`, `onOpen()`, and `nameOf(column, value)`
   * for the name of what a foreign key refers to, or null.
   */
  constructor(root, handlers) {
    this.handlers = handlers;
    this.root = root;
    this.head = make("div", { id: "head", className: "row", role: "row", "aria-rowindex": 1 });
    this.sticky = new StickyHeader();
    this.track = make("div", { id: "track", role: "rowgroup" });
    this.views = new LineViews(this.track, handlers.nameOf);
    this.empty = make("p", { id: "empty", hidden: true });
    const heads = make("div", { id: "heads", role: "rowgroup" }, this.head);
    rove(this.head);
    root.replaceChildren(heads, this.sticky.element, this.track, this.empty);
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
    this.isGrouped = request.by !== null;
    rebuild(this.head, columns.heads(request, {
      onSort, onValues, onResize: () => this.applyWidths(), shown: () => this.#shownItems,
    }));
    this.applyWidths();
    this.root.setAttribute("aria-colcount", columns.list.length);
    this.root.classList.toggle("wide", columns.list.length > 8);
    this.views.setColumns(columns, request);
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
    this.views.clear();
    this.track.replaceChildren();
    this.head.replaceChildren();
    this.sticky.clear();
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
    const known = this.views.keys;
    const marked = [];
    this.#draw({ marked, leaves: mayMove() });
    moveFrom(places);
    mark([...marked, ...this.views.markedRows(marks, known)]);
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

  #adopt(window) {
    this.window = window;
    this.place.lineHeight = this.head.offsetHeight || 32;
    this.place.headHeight = this.head.offsetHeight;
    this.place.setLines(window.lines);
    this.place.moveTo(this.place.top);
    this.root.setAttribute("aria-rowcount", window.lines + 1);
    this.empty.hidden = window.lines > 0;
    // A group of rows must have some.
    this.track.setAttribute("role", window.lines > 0 ? "rowgroup" : "presentation");
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
    const lines = range(Math.max(0, first - margin), Math.min(this.place.lines - 1, last + margin));
    this.views.draw(this.window, lines, (line) => this.place.y(line), { marked, leaves });
    this.#drawCursor();
    if (this.isGrouped) this.sticky.draw(this.window, first, this.place, this.views.nameOfSection);
    else this.sticky.clear();
    if (last >= 0) this.handlers.onRange(first, last);
  }

  /** The values of a column that are on the screen, or just above and below. */
  shownValues(name) {
    return this.views.shownValues(name, this.sticky.section);
  }

  /** Writes the cells and headers of some columns again: what they refer to has other names. */
  refill(names) {
    if (this.window === null) return;
    const texts = this.views.refill(names, this.window);
    this.sticky.refill(this.views.nameOfSection);
    if (this.#columns.makeRoom(names, texts, this.font)) this.applyWidths();
    this.#drawCursor(); // A header that is written again has another cell.
  }

  #drawCursor() {
    this.track.querySelector("#cursor")?.removeAttribute("id");
    for (const view of this.views) {
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
