// The conditions of the list as chips, and the form in which one is made or changed.

import { find, isNumber, make, rebuild, showBelow } from "./cells.js";
import { anyColumn, Filter, likelyOperator, operatorName, operatorsFor } from "./condition.js";
import { described, isNumeric, isTime, timeUnit } from "./types.js";

export class Filters {
  #request = null;
  #columns = []; // Of the source, each with its declared type.
  #isIndexed = false;
  #edited = null; // The filter that the form changes; null for a new one.
  #rows = []; // The conditions of the form: alternatives.

  /**
   * `onRequest(request)` is called with the list of other conditions. `names` has the names of foreign keys, and
   * `valuesOf(column)` returns the values of a column that are on the screen.
   */
  constructor(onRequest, names, valuesOf) {
    this.onRequest = onRequest;
    this.names = names;
    this.valuesOf = valuesOf;
    this.menu = find("filter-menu");
    this.form = find("filter");
    find("add-filter").addEventListener("click", (event) => this.#open(null, event.currentTarget));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#apply();
    });
  }

  /** `columns`: those of the source; `isIndexed`: whether words can be searched. */
  show(request, columns, isIndexed) {
    this.#request = request;
    this.#columns = columns;
    this.#isIndexed = isIndexed;
    this.#showChips();
  }

  #showChips() {
    const shown = this.#request.filters.filter((filter) => filter !== this.#request.search);
    rebuild(find("filters"), shown.map((filter) => this.#chip(filter)));
  }

  /** The values that the conditions choose of a column. */
  shownValues(column) {
    return (this.#request?.filters ?? []).flatMap(({ alternatives }) => alternatives)
      .filter((one) => one.column === column && one.chosenValue !== undefined).map(({ chosenValue }) => chosenValue);
  }

  /** Writes the conditions again: what foreign keys refer to has other names. */
  refill(columns) {
    if (columns.some((column) => this.shownValues(column).length > 0)) this.#showChips();
  }

  #chip(filter) {
    const label = filter.labelWith((column, value) => this.names.name(column, value), (name) => described(name, this.#columns));
    const text = make("button", {
      type: "button", className: "label", dir: "auto", title: `Change: ${label}`, "data-name": `change ${filter.text}`,
    }, label);
    text.addEventListener("click", () => this.#open(filter, text));
    const remove = make(
      "button", {
        type: "button", className: "remove", "aria-label": `Remove the filter ${label}`, "data-name": `remove ${filter.text}`,
      }, "×");
    remove.addEventListener("click", () => this.#replace(filter, null));
    return make("li", {}, text, remove);
  }

  #replace(old, filter) {
    this.onRequest(this.#request.replacing(old, filter));
  }

  // The form

  #open(filter, button) {
    this.#edited = filter;
    this.#rows = (filter === null ? [null] : [filter, ...filter.others]).map((one) => this.#row(one));
    this.#fill();
    showBelow(this.menu, button);
    this.#rows[0].focus();
  }

  #fill() {
    const or = make("button", { type: "button", className: "or" }, "Or…");
    or.addEventListener("click", () => {
      this.#rows.push(this.#row(null, this.#rows.at(-1)));
      this.#fill();
      this.#rows.at(-1).focus();
    });
    const remove = this.#edited === null ? [] : [make("button", { type: "button" }, "Remove")];
    remove[0]?.addEventListener("click", () => this.#close(() => this.#replace(this.#edited, null)));
    const submit = make("button", { type: "submit", className: "primary" }, this.#edited === null ? "Add" : "Change");
    this.form.replaceChildren(
      ...this.#rows.map(({ element }) => element), make("p", { className: "actions" }, or, ...remove, submit));
  }

  #row(filter, like = null) {
    return new ConditionRow(this.#columns, this.valuesOf, this.#isIndexed, filter, like);
  }

  /** An empty value of an alternative means that it is not wanted; one of the only condition is looked for. */
  #apply() {
    const all = this.#rows.map((row) => row.condition).filter((one) => one !== null);
    if (all.length === 0) return this.#rows[0].focus();
    const [first, ...others] = all;
    const filter = new Filter(first.column, first.operator, first.value, others);
    this.#close(() => this.#replace(this.#edited, filter));
  }

  #close(action) {
    this.menu.hidePopover();
    action();
  }
}

/** One condition of the form: column, operator and values. */
class ConditionRow {
  #kept = null; // A condition that the form cannot show in parts: it stays unless the column or operator is changed.
  #own; // The condition that is changed, whose operator may not be one of the form; null for a new one.
  #isChosen; // Whether the user has chosen the operator. Otherwise it is that of the column.

  constructor(columns, valuesOf, isIndexed, filter, like) {
    this.columns = columns;
    this.valuesOf = valuesOf;
    this.isIndexed = isIndexed;
    const names = columns.map(({ name }) => name);
    this.#isChosen = filter !== null || like !== null;
    const options = ["", ...names].map((name) => make("option", { value: name }, name || anyColumn));
    this.column = make("select", { className: "column", "aria-label": "Column" }, ...options);
    this.operator = make("select", { className: "operator", "aria-label": "Operator" });
    this.low = field("Value");
    this.high = field("Highest value");
    this.element = make("p", { className: "condition" }, this.column, this.operator, this.low, this.high);
    this.column.value = filter?.column ?? like?.column.value ?? names[0] ?? "";
    this.column.addEventListener("change", () => this.#adapt());
    this.operator.addEventListener("change", () => {
      this.#isChosen = true;
      this.#adaptValues();
    });
    const exact = filter?.operator === "is" ? filter : null;
    this.#own = exact === null ? filter : null;
    this.#adapt(exact !== null ? "eq" : filter?.operator ?? like?.operator.value);
    const values = exact !== null ? [exact.label.slice(exact.column.length + 3)] : filter?.values ?? [];
    [this.low.value, this.high.value] = [values[0] ?? "", values[1] ?? ""];
    this.#kept = exact;
    for (const element of [this.column, this.operator, this.low]) {
      element.addEventListener("input", () => { this.#kept = null; });
    }
  }

  focus() {
    const field = this.low.hidden ? this.operator : this.low;
    field.focus();
    field.select?.();
  }

  /** The condition; null if it has no value. */
  get condition() {
    if (this.#kept !== null) return new Filter(this.#kept.column, "is", this.#kept.value);
    const [column, operator] = [this.column.value, this.operator.value];
    if (!Filter.takesValue(operator)) return new Filter(column, operator);
    if (Filter.takesTwo(operator)) {
      if (this.low.value === "" || this.high.value === "") return null;
      return Filter.ofTwo(column, operator, this.low.value, this.high.value);
    }
    return this.low.value === "" ? null : new Filter(column, operator, this.low.value);
  }

  #adapt(chosen = this.#isChosen ? this.operator.value : this.#likely) {
    const names = operatorsFor(this.column.value, this.isIndexed);
    const own = this.#own?.column === this.column.value ? this.#own.operator : null;
    if (own !== null && !names.includes(own)) names.unshift(own);
    this.operator.replaceChildren(...names.map((value) => make("option", { value }, operatorName(value))));
    this.operator.value = names.includes(chosen) ? chosen : names[0];
    this.#adaptValues();
  }

  get #likely() {
    return likelyOperator(this.#described);
  }

  /** The description of the column. */
  get #described() {
    return described(this.column.value, this.columns);
  }

  /** How a time is written in the column; null if it has none, or if that is not known. */
  get #timeHint() {
    const column = this.#described;
    if (!isTime(column)) return null;
    const number = this.valuesOf(column.name).find(isNumber);
    if (number === undefined) return isNumeric(column) ? "Seconds since 1970" : "2024-12-31";
    return { 1000: "Seconds since 1970", 1: "Milliseconds since 1970" }[timeUnit(number)] ?? null;
  }

  #adaptValues() {
    const hint = this.#timeHint;
    this.low.placeholder = hint ?? "Value";
    this.high.placeholder = hint ?? "Highest value";
    this.low.hidden = !Filter.takesValue(this.operator.value);
    this.high.hidden = !Filter.takesTwo(this.operator.value);
  }
}

function field(label) {
  return make("input", {
    type: "search", dir: "auto", "aria-label": label, placeholder: label, spellcheck: false,
  });
}
