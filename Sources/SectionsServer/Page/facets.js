// The panel beside the list with the values of chosen columns, and the menu that chooses them.

import { closeByClickOutside, find, labelledBox, make, rebuild } from "./cells.js";
import { Facet } from "./facet.js";
import { described } from "./types.js";

export class FacetPanel {
  #facets = new Map(); // By their columns.
  #request = null;

  /**
   * `onGo(request)` is called with the list of the rows that have the chosen values, and `onFacets(request)` with the same
   * list beside other columns. `names` has the names of what foreign keys refer to.
   */
  constructor(root, { onGo, onFacets, names }) {
    this.root = root;
    this.handlers = { onGo, names, onClose: (column) => this.#choose(column, false) };
    this.onFacets = onFacets;
    this.boxes = make("div", { className: "boxes", role: "group", "aria-label": "Columns whose values are shown" });
    this.menu = make("details", { id: "facet-menu", className: "menu" },
      make("summary", { className: "quiet", title: "Show values of columns beside the list" }, "Values"), this.boxes);
    find("columns").after(this.menu);
    closeByClickOutside(this.menu);
    const close = make("button", { type: "button", className: "plain", "aria-label": "Close" }, "×");
    close.addEventListener("click", () => {
      this.onFacets(this.#request.with({ facets: [] }));
      this.menu.firstElementChild.focus();
    });
    this.body = make("div", { className: "body" });
    root.append(make("header", {}, make("h2", {}, "Values"), close), this.body);
  }

  /** Shows the columns that a list has beside it: `source` describes it, and `live` is its window. */
  show(request, source, live) {
    if (!request.hasSourceOf(this.#request)) this.#replace(new Map());
    this.#request = request;
    this.#showMenu(source);
    const all = request.facets.map((column) => [column, this.#facets.get(column) ?? new Facet(column, this.handlers)]);
    this.#replace(new Map(all));
    for (const [column, facet] of this.#facets) {
      facet.show(request, described(column, source.columns), live);
    }
  }

  #replace(facets) {
    const elements = [...facets.values()].map(({ element }) => element);
    for (const [column, facet] of this.#facets) {
      if (!facets.has(column)) facet.close();
    }
    this.#facets = facets;
    this.root.hidden = facets.size === 0;
    // A field that is in its place keeps the focus.
    const isSame = elements.every((element, index) => element === this.body.children[index]);
    if (!isSame || elements.length !== this.body.children.length) this.body.replaceChildren(...elements);
  }

  #showMenu({ columns }) {
    const { facets } = this.#request;
    const names = columns.map(({ name }) => name);
    rebuild(this.boxes, [...names, ...facets.filter((name) => !names.includes(name))].map((name) =>
      labelledBox(name, facets.includes(name), (isShown) => this.#choose(name, isShown))));
  }

  #choose(column, isShown) {
    const others = this.#request.facets.filter((other) => other !== column);
    this.onFacets(this.#request.with({ facets: isShown ? [...others, column] : others }));
  }

  /** The values of a column that are shown. */
  shownValues(column) {
    return this.#facets.get(column)?.values ?? [];
  }

  /** Shows what had to wait for the first rows of the list. */
  decide() {
    for (const facet of this.#facets.values()) facet.decide();
  }

  /** Counts again what does not follow the file by itself: the rows have changed. */
  refreshSoon() {
    for (const facet of this.#facets.values()) facet.refreshSoon();
  }

  /** Writes the values of some columns again: what they refer to has other names. */
  refill(columns) {
    for (const column of columns) this.#facets.get(column)?.refill();
  }
}
