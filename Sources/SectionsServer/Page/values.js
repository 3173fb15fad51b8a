// The menu of a column: its most frequent values in the list, each with the number of its rows.

import { fetchJSON } from "./answers.js";
import { emptyMark, fillCell, isFilterable, jsonOf, linkTo, make, numbers, rebuild } from "./cells.js";

export class ValueMenu {
  #column = null;
  #type = ""; // The declared type of the column.
  #request = null;

  /** `onGo(request)` is called with the list of the rows that have a value. */
  constructor(root, onGo) {
    this.root = root;
    this.onGo = onGo;
    root.addEventListener("toggle", (event) => {
      if (event.newState === "closed") this.#column = null;
    });
  }

  /** Opens the menu below a button, for a column with its declared type. */
  async open(column, type, request, button) {
    this.root.replaceChildren(make("p", { className: "quiet" }, "Counting…"));
    this.root.setAttribute("aria-label", `Values of ${column}`);
    this.root.showPopover();
    const { left, bottom } = button.getBoundingClientRect();
    this.root.style.top = `${bottom}px`;
    this.root.style.left = `${Math.max(8, Math.min(left, innerWidth - this.root.offsetWidth - 8))}px`;
    this.#column = column;
    this.#type = type;
    // Other filters apply, but not those of the column: one of its other values can be chosen.
    const others = request.filters.filter((filter) => filter.column !== column);
    this.#request = { shown: request, others: request.with({ filters: others }) };
    await this.refresh();
    // The browser gives the focus back when the menu closes.
    if (this.#column === column) this.root.querySelector("a")?.focus({ preventScroll: true });
  }

  /** Counts again if the menu is open. */
  async refresh() {
    const column = this.#column;
    if (column === null) return;
    const { others } = this.#request;
    let content;
    try {
      content = this.#list(column, await fetchJSON("/api/values", others.parameters({ column })));
    } catch (error) {
      content = [make("p", { className: "quiet" }, `${error.message}. ${error.nextStep ?? ""}`)];
    }
    if (column === this.#column) rebuild(this.root, content);
  }

  #list(column, { values, more }) {
    const { shown, others } = this.#request;
    const most = Math.max(...values.map(({ count }) => count));
    const items = values.map(({ value, count }) => {
      const target = isFilterable(value) ? others.filteredBy(column, value, this.#type) : null;
      return make("li", {}, this.#value(value, count, count / most, target, shown));
    });
    const note = items.length === 0 ? "No rows." : more ? "The most frequent values" : "All values";
    return [make("p", { className: "quiet" }, note), make("ul", {}, ...items)];
  }

  #value(value, count, share, target, shown) {
    const name = make("span", { className: "name" });
    if (value === "") name.append(emptyMark());
    else fillCell(name, value);
    const bar = make("span", { className: "share", "aria-hidden": "true" });
    bar.style.width = `${100 * share}%`;
    const content = [bar, name, make("span", { className: "count" }, numbers.format(count))];
    if (target === null) return make("span", { className: "value" }, ...content);
    const link = linkTo(target, { className: "value", "data-name": jsonOf(value) }, () => {
      this.root.hidePopover();
      this.onGo(target);
    }, ...content);
    if (target.query === shown.query) link.setAttribute("aria-current", "true");
    return link;
  }
}
