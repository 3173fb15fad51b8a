// The menu of a column: its most frequent values in the list, each with the number of its rows.

import { errorText, fetchJSON } from "./answers.js";
import {
  emptyMark, fillCell, fillNamed, isFilterable, jsonOf, linkTo, make, numbers, rebuild, showBelow,
} from "./cells.js";
import { Throttle } from "./timers.js";

const refreshTime = 1_000;

export class ValueMenu {
  #column = null; // The description of the column; null if the menu is closed.
  #request = null;
  #found = null; // What the server has answered.
  #again = new Throttle(refreshTime, () => this.#refresh());

  /**
   * `names` has the names of what foreign keys refer to. `onGo(request)` is called with the list of the rows that have a value, and `onFacets(request)` with the same list
   * beside the values of the column.
   */
  constructor(root, names, onGo, onFacets) {
    this.root = root;
    this.names = names;
    this.onGo = onGo;
    this.onFacets = onFacets;
    root.addEventListener("toggle", (event) => {
      if (event.newState === "closed") [this.#column, this.#found] = [null, null];
    });
  }

  /** Opens the menu below a button, for a column that is described. */
  async open(column, request, button) {
    const { name } = column;
    this.root.replaceChildren(make("p", { className: "quiet" }, "Counting…"));
    this.root.setAttribute("aria-label", `Values of ${name}`);
    showBelow(this.root, button);
    this.#column = column;
    // Other filters apply, but not the choice among these values: another one can be chosen.
    this.#request = { shown: request, others: request.with({ filters: request.filtersBut(name) }) };
    await this.#refresh();
    // The browser gives the focus back when the menu closes.
    if (this.#column === column) this.root.querySelector("a")?.focus({ preventScroll: true });
  }

  /** Counts again soon, if the menu is open: the file has changed. */
  refreshSoon() {
    if (this.#column !== null) this.#again.ask();
  }

  async #refresh() {
    const column = this.#column;
    if (column === null) return;
    const { others } = this.#request;
    let problem = null;
    const found = await fetchJSON("api/values", others.parameters({ column: column.name })).catch((error) => {
      problem = make("p", { className: "quiet" }, errorText(error));
      return null;
    });
    if (column !== this.#column) return;
    this.#found = found;
    rebuild(this.root, problem === null ? this.#list(column, found) : [problem]);
  }

  /** The values that are shown of a column. */
  shownValues(column) {
    return column === this.#column?.name ? this.#found?.values.map(({ value }) => value) ?? [] : [];
  }

  /** Writes the values again, if they are of one of some columns: what they refer to has other names. */
  refill(columns) {
    const column = this.#column;
    if (columns.includes(column?.name) && this.#found !== null) rebuild(this.root, this.#list(column, this.#found));
  }

  #list(column, { values, more }) {
    const { shown, others } = this.#request;
    const most = Math.max(...values.map(({ count }) => count));
    const items = values.map(({ value, count }) => {
      const target = isFilterable(value) ? others.filteredBy(column, value) : null;
      return make("li", {}, this.#value(value, count, count / most, target, shown));
    });
    const note = items.length === 0 ? "No rows." : more ? "The most frequent values" : "All values";
    const lines = [make("p", { className: "quiet" }, note), make("ul", {}, ...items)];
    return shown.facets.includes(column.name) ? lines : [...lines, this.#keep(column, shown)];
  }

  /** The button that shows the values beside the list, where several can be chosen. */
  #keep({ name }, shown) {
    const button = make("button", { type: "button", className: "quiet keep", "data-name": "keep" }, "Keep beside the list");
    button.addEventListener("click", () => {
      this.root.hidePopover();
      this.onFacets(shown.with({ facets: [...shown.facets, name] }));
    });
    return button;
  }

  #value(value, count, share, target, shown) {
    const content = valueParts(value, count, share, this.names.name(this.#column.name, value));
    if (target === null) return make("span", { className: "value" }, ...content);
    const link = linkTo(target, { className: "value", "data-name": jsonOf(value) }, () => {
      this.root.hidePopover();
      this.onGo(target);
    }, ...content);
    if (target.query === shown.query) link.setAttribute("aria-current", "true");
    return link;
  }
}

/** What is shown of a value: a bar of its `share`, itself or its `name`, and the number of its rows. */
export function valueParts(value, count, share, name = null) {
  const text = make("span", { className: "name", dir: "auto" });
  if (name !== null) fillNamed(text, name, value);
  else if (value === "") text.append(emptyMark());
  else fillCell(text, value);
  const bar = make("span", { className: "share", "aria-hidden": "true" });
  bar.style.width = `${100 * share}%`;
  return [bar, text, make("span", { className: "count" }, numbers.format(count))];
}
