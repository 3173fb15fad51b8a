// The values of chosen columns beside the list, each with the number of its rows. They follow the file, and several of
// them can be chosen. Each column is a list in sections at the server, of which only the headers are read.

import { closeByClickOutside, find, isFilterable, make, plural, rebuild } from "./cells.js";
import { Filter } from "./condition.js";
import { nextFrame } from "./frames.js";
import { Timers } from "./timers.js";
import { valueParts } from "./values.js";

const firstCount = 10;
const moreCount = 50;
const mostValues = 1_000; // Of a window.
const mostOrdered = 10_000; // Values that the server orders by their rows.
const mostConditions = 32; // Of a list.
const typingTime = 200;
const shortestWait = 2_000; // Before a request that was refused for now is sent again.

export class FacetPanel {
  #facets = new Map(); // By their columns.
  #request = null;

  /**
   * `onGo(request)` is called with the list of the rows that have the chosen values, `onFacets(request)` with the same
   * list beside other columns, and `nameOf(column, value)` for the name of what a foreign key refers to, or null.
   */
  constructor(root, { onGo, onFacets, nameOf }) {
    this.root = root;
    this.handlers = { onGo, nameOf, onClose: (column) => this.#choose(column, false) };
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
      facet.show(request, source.columns.find(({ name }) => name === column)?.type ?? "", live);
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
    rebuild(this.boxes, [...names, ...facets.filter((name) => !names.includes(name))].map((name) => {
      const box = make("input", {
        type: "checkbox", checked: facets.includes(name), value: name, "data-name": name,
      });
      box.addEventListener("change", () => this.#choose(name, box.checked));
      return make("label", {}, box, make("span", {}, name));
    }));
  }

  #choose(column, isShown) {
    const others = this.#request.facets.filter((other) => other !== column);
    this.onFacets(this.#request.with({ facets: isShown ? [...others, column] : others }));
  }

  /** The values of a column that are shown. */
  shownValues(column) {
    return this.#facets.get(column)?.values ?? [];
  }

  /** Writes the values of some columns again: what they refer to has other names. */
  refill(columns) {
    for (const column of columns) this.#facets.get(column)?.refill();
  }
}

/** The values of one column. */
class Facet {
  #request = null;
  #type = ""; // The declared type of the column.
  #live = null;
  #list = null; // The list whose sections are the values.
  #window = null; // Shows the largest of those sections.
  #lines = null; // What the window has brought.
  #count = firstCount;
  #problem = null;
  #frame = null;
  #timers = new Timers();

  constructor(column, handlers) {
    this.column = column;
    this.handlers = handlers;
    this.field = make("input", {
      type: "search", dir: "auto", placeholder: "Search", "aria-label": `Search in the values of ${column}`,
      spellcheck: false, maxLength: 80, "data-name": "search",
    });
    this.field.addEventListener("input", () => this.#timers.later("typing", typingTime, () => this.#follow()));
    this.list = make("ul", {});
    this.note = make("p", { className: "quiet", role: "status" }, "Counting…");
    this.more = make("button", { type: "button", className: "quiet", hidden: true }, "More");
    this.more.addEventListener("click", () => {
      this.#count = Math.min(mostValues, this.#count + moreCount);
      this.#window?.move(this.#range);
    });
    const close = make("button", { type: "button", className: "plain", "aria-label": `Hide ${column}` }, "×");
    close.addEventListener("click", () => handlers.onClose(column));
    this.element = make("section", { "aria-label": column },
      make("header", {}, make("h3", {}, column), close), this.field, this.list, this.note, this.more);
  }

  get #range() {
    return { largest: this.#count };
  }

  /** The values that are shown. */
  get values() {
    return (this.#lines?.items ?? []).map(({ header }) => header.section).filter(isFilterable);
  }

  show(request, type, live) {
    this.#request = request;
    this.#type = type;
    const isNew = live !== this.#live;
    this.#live = live;
    this.#follow(isNew);
    this.#draw();
  }

  close() {
    this.#window?.close();
    this.#window = null;
    this.#timers.cancel("typing");
    this.#timers.cancel("retry");
    this.#frame?.();
  }

  refill() {
    this.#draw();
  }

  /** Follows the values among the rows of now, if they are not followed already. */
  #follow(isNew = false) {
    const list = this.#request.valuesOf(this.column, this.field.value.trim());
    if (!isNew && list.query === this.#list?.query) return;
    this.#list = list;
    this.#open();
  }

  #open() {
    this.#window?.close();
    this.#timers.cancel("retry");
    this.#problem = null;
    this.#window = this.#live.followList(this.#list, this.#range, (lines) => {
      this.#lines = lines;
      this.#problem = null;
      this.#frame ??= nextFrame(() => this.#draw());
    }, (error) => this.#fail(error));
  }

  #fail(error) {
    this.#problem = error;
    this.#draw();
    if (!error.isTemporary) return;
    this.#timers.later("retry", Math.max(shortestWait, error.wait * 1000), () => this.#open());
  }

  #draw() {
    this.#frame?.();
    this.#frame = null;
    const items = this.#lines?.items ?? [];
    const chosen = new Map((this.#choice?.alternatives ?? []).map((one) => [one.text, one]));
    const isFull = this.#request.conditionCount >= mostConditions;
    const most = Math.max(...items.map(({ header }) => header.count));
    const lines = items.map(({ header: { section, count } }) => {
      if (!isFilterable(section)) return make("li", {}, make("span", { className: "value" }, ...valueParts(section, count, count / most)));
      const condition = Filter.ofValue(this.column, section, this.#type);
      const isChosen = chosen.delete(condition.text);
      const name = this.handlers.nameOf(this.column, section);
      return this.#line(condition, isChosen, isFull, valueParts(section, count, count / most, name));
    });
    // Chosen values that no row has, or that are not among those that are read.
    const isWhole = this.#lines !== null && items.length === this.#lines.lines && this.field.value.trim() === "";
    const others = [...chosen.values()].map((condition) => this.#line(condition, true, isFull, [
      make("span", { className: "name", dir: "auto" }, condition.shownValue),
      make("span", { className: "count" }, isWhole ? "0" : "")]));
    rebuild(this.list, [...others, ...lines]);
    this.note.textContent = this.#text(items.length);
    const isShort = this.#lines !== null && this.#lines.lines <= firstCount && this.field.value === "";
    this.field.hidden = isShort && document.activeElement !== this.field;
    this.more.hidden = this.#lines === null || items.length >= Math.min(mostValues, this.#lines.lines);
  }

  #line(condition, isChosen, isFull, parts) {
    const box = make("input", {
      type: "checkbox", checked: isChosen, disabled: isFull && !isChosen, "data-name": condition.text,
    });
    box.addEventListener("change", () => this.#toggle(condition, box.checked));
    return make("li", {}, make("label", { className: "value" }, box, ...parts));
  }

  #text(shown) {
    if (this.#problem !== null) return `${this.#problem.message}. ${this.#problem.nextStep}`;
    if (this.#lines === null) return "Counting…";
    const all = this.#lines.lines;
    if (all > mostOrdered) return `The first of ${plural(all, "value")}, which are too many to be ordered by their rows`;
    return shown < all ? `The most frequent of ${plural(all, "value")}` : plural(all, "value");
  }

  /** The condition of the list that chooses values of the column; null if there is none. */
  get #choice() {
    return this.#request.filters.find((filter) => filter.isChoiceOf(this.column)) ?? null;
  }

  #toggle(condition, isChosen) {
    const old = this.#choice;
    const others = (old?.alternatives ?? []).filter((one) => one.text !== condition.text);
    const next = Filter.anyOf(isChosen ? [...others, condition] : others);
    this.handlers.onGo(this.#request.replacing(old, next));
  }
}
