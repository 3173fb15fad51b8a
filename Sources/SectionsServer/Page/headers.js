// The headers of sections: in the list, and the one that stays at its top.

import { fillNamed, make, numbers, shownTitle, totalsTexts } from "./cells.js";

/**
 * A section's title, count and totals. `nameOf(section)` returns the name of what a foreign key refers to, or null: it
 * stands in place of the title.
 */
export function fillHeader(element, { section, title, count, totals }, nameOf) {
  const name = make("span", { className: section === null ? "name null" : "name", dir: "auto" });
  const named = nameOf(section);
  if (named === null) name.textContent = shownTitle(section, title);
  else fillNamed(name, named, section);
  element.replaceChildren(make("div", { className: "label", role: "gridcell" },
    name, make("span", { className: "count" }, numbers.format(count)),
    ...totalsTexts(totals, { className: "totals" })));
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

/** The header of the first visible section at the top of the list. The next one pushes it away. */
export class StickyHeader {
  #header = null;

  constructor() {
    this.element = make("div", { id: "sticky", className: "row section", "aria-hidden": "true" });
  }

  clear() {
    this.element.hidden = true;
    this.#header = null;
  }

  /** The value of the section that is shown; undefined if there is none. */
  get section() {
    return this.#header?.section;
  }

  /** Writes the header again: its section has another name. */
  refill(nameOf) {
    if (this.#header !== null) fillHeader(this.element, this.#header, nameOf);
  }

  /** Shows the header for the first visible line of a window; `place` says where lines are. */
  draw(window, first, { lineHeight, top }, nameOf) {
    const header = headerOf(window, first);
    this.element.hidden = header === null;
    if (header === null) return this.clear();
    if (this.#header !== header) fillHeader(this.element, header, nameOf);
    this.#header = header;
    const isPushed = window.item(first + 1)?.header !== undefined;
    this.element.style.transform = `translateY(${-(isPushed ? top - first * lineHeight : 0)}px)`;
  }
}
