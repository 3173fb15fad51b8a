// The values of one column beside the list, each with the number of its rows, of which several can be chosen. They follow
// the file: they are a list in sections at the server, of which only the headers are read. Many numbers or dates are shown
// as ranges.

import { errorText } from "./answers.js";
import { isFilterable, make, plural, rebuild } from "./cells.js";
import { Filter } from "./condition.js";
import { nextFrame } from "./frames.js";
import { Ranges } from "./ranges.js";
import { Timers } from "./timers.js";
import { valueParts } from "./values.js";

const firstCount = 10;
const moreCount = 50;
const mostValues = 1_000; // Of a window.
const mostOrdered = 10_000; // Values that the server orders by their rows.
const mostConditions = 32; // Of a list.
const typingTime = 200;

export class Facet {
  #request = null;
  #column = null; // The description of the column.
  #live = null;
  #list = null; // The list whose sections are the values.
  #window = null; // Shows the largest of those sections.
  #lines = null; // What the window has brought.
  #count = firstCount;
  #problem = null;
  #frame = null;
  #timers = new Timers();
  #hasRanges = null; // Whether ranges are shown in place of values; null until that is decided.
  #search = 0; // The number of the last search by names.

  /** `handlers`: those of the panel, and `onClose(column)`. */
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
    this.ranges = new Ranges((problem) => this.#takeRanges(problem));
    this.switch = make("button", { type: "button", className: "quiet", hidden: true, "data-name": "switch" });
    this.switch.addEventListener("click", () => this.#showRanges(!this.#hasRanges));
    const close = make("button", { type: "button", className: "plain", "aria-label": `Hide ${column}` }, "×");
    close.addEventListener("click", () => handlers.onClose(column));
    this.element = make("section", { "aria-label": column },
      make("header", {}, make("h3", {}, column), close), this.field, this.list, this.note, this.switch, this.more);
  }

  get #range() {
    return { largest: this.#count };
  }

  /** The values that are shown. */
  get values() {
    return (this.#lines?.items ?? []).map(({ header }) => header.section).filter(isFilterable);
  }

  /** Shows the values in a list: `column` describes the column, and `live` is the window of the list. */
  show(request, column, live) {
    this.#request = request;
    this.#column = column;
    const isNew = live !== this.#live;
    this.#live = live;
    this.#hasRanges ??= this.#isDivided();
    if (this.#hasRanges) this.ranges.show(request, column, () => live.isPaused);
    else if (this.#hasRanges !== null) this.#follow(isNew);
    this.#draw();
  }

  /** Shows values or ranges, if that had to wait for the first rows of the list. */
  decide() {
    if (this.#hasRanges !== null || this.#request === null) return;
    this.#showRanges(this.#isDivided() ?? false);
  }

  /**
   * Whether ranges are shown at first: those are chosen, or the values suit them and no value is chosen. Null if no row is
   * known yet.
   */
  #isDivided() {
    const choice = this.#choice?.alternatives ?? [];
    if (choice.length > 0) return choice.some(({ operator }) => operator === "within");
    return this.#live.current === null ? null : this.#suitsRanges;
  }

  get #suitsRanges() {
    const rows = (this.#live.current?.items ?? []).filter(({ row }) => row && this.column in row);
    return Ranges.suit(rows.map(({ row }) => row[this.column]), this.#column);
  }

  #showRanges(hasRanges) {
    this.#hasRanges = hasRanges;
    this.#problem = null;
    if (hasRanges) {
      this.#stop();
      this.ranges.show(this.#request, this.#column, () => this.#live.isPaused);
    } else {
      this.ranges.close();
      this.#follow();
    }
    this.#draw();
  }

  /** Shows the ranges that were counted; the values if there are none. */
  #takeRanges(problem) {
    if (!this.#hasRanges) return;
    if (problem === null && !this.ranges.areThere) return this.#showRanges(false);
    this.#problem = problem;
    this.#draw();
  }

  /** Counts the ranges again soon. Values follow the file by themselves. */
  refreshSoon() {
    if (this.#hasRanges) this.ranges.refreshSoon();
  }

  close() {
    this.#stop();
    this.ranges.close();
    this.#frame?.();
  }

  #stop() {
    this.#window?.close();
    [this.#window, this.#list, this.#lines] = [null, null, null];
    this.#search += 1;
    this.#timers.cancel("typing");
    this.#timers.cancel("retry");
  }

  refill() {
    this.#draw();
  }

  /** Follows the values among the rows of now, if they are not followed already. */
  async #follow(isNew = false) {
    const text = this.field.value.trim();
    this.#search += 1;
    const number = this.#search;
    let filters = text === "" ? [] : [new Filter(this.column, "contains", text)];
    if (text !== "" && this.handlers.names.has(this.column)) {
      filters = await this.#filtersByName(text, number);
      if (filters === null) return;
    }
    const list = this.#request.valuesOf(this.column, filters);
    if (!isNew && list.query === this.#list?.query) return;
    this.#list = list;
    this.#open();
  }

  /**
   * The conditions that find the values whose names have a text in them; null if that is not known, or if something else
   * is looked for meanwhile: `number` is that of the search.
   */
  async #filtersByName(text, number) {
    try {
      const values = await this.handlers.names.find(this.column, text);
      if (number !== this.#search) return null;
      const room = mostConditions - this.#request.conditionCount;
      const found = values.slice(0, room).map((value) => Filter.ofValue(this.#column, value));
      // If there are none, a condition that no value meets.
      return [Filter.anyOf(found) ?? Filter.ofTwo(this.column, "within", "0", "0")];
    } catch (error) {
      if (number === this.#search) this.#fail(error);
      return null;
    }
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
    this.#timers.later("retry", error.waitTime, () => this.#follow(true));
  }

  #draw() {
    this.#frame?.();
    this.#frame = null;
    const chosen = new Map((this.#choice?.alternatives ?? []).map((one) => [one.text, one]));
    const lines = this.#hasRanges ? this.#rangeLines(chosen) : this.#valueLines(chosen);
    // Chosen values that no row has, or that are not among those that are read.
    const isWhole = this.#hasRanges ? this.ranges.areThere : this.#isWhole;
    const nameOf = (column, value) => this.handlers.names.name(column, value);
    const others = [...chosen.values()].map((condition) => this.#line(condition, true, [
      make("span", { className: "name", dir: "auto" }, condition.nameWith(nameOf) ?? condition.shownValue(this.#column)),
      make("span", { className: "count" }, isWhole ? "0" : "")]));
    rebuild(this.list, [...others, ...lines]);
    this.note.textContent = this.#text();
    const isShort = this.#lines !== null && this.#lines.lines <= firstCount && this.field.value === "";
    this.field.hidden = this.#hasRanges || (isShort && document.activeElement !== this.field);
    this.more.hidden = this.#lines === null || this.#lines.items.length >= Math.min(mostValues, this.#lines.lines);
    this.#drawSwitch();
  }

  #drawSwitch() {
    this.switch.textContent = this.#hasRanges ? "Show values" : "Show ranges";
    const isPossible = this.#hasRanges || (this.ranges.areThere
      ?? this.#suitsRanges);
    this.switch.hidden = !isPossible;
  }

  /** The lines of the values; removes those that are shown from `chosen`. */
  #valueLines(chosen) {
    const items = this.#lines?.items ?? [];
    const most = Math.max(...items.map(({ header }) => header.count));
    return items.map(({ header: { section, count } }) => {
      if (!isFilterable(section)) {
        return make("li", {}, make("span", { className: "value" }, ...valueParts(section, count, count / most)));
      }
      const condition = Filter.ofValue(this.#column, section);
      const name = this.handlers.names.name(this.column, section);
      return this.#line(condition, chosen.delete(condition.text), valueParts(section, count, count / most, name));
    });
  }

  /** The same for the ranges. */
  #rangeLines(chosen) {
    const { items } = this.ranges;
    const most = Math.max(...items.map(({ count }) => count));
    return items.map(({ condition, text, count }) =>
      this.#line(condition, chosen.delete(condition.text), valueParts(text, count, count / most)));
  }

  /** Whether all values are read. */
  get #isWhole() {
    return this.#lines !== null && this.#lines.items.length === this.#lines.lines && this.field.value.trim() === "";
  }

  #line(condition, isChosen, parts) {
    const isFull = this.#request.conditionCount >= mostConditions;
    const box = make("input", {
      type: "checkbox", checked: isChosen, disabled: isFull && !isChosen, "data-name": condition.text,
    });
    box.addEventListener("change", () => this.#toggle(condition, box.checked));
    return make("li", {}, make("label", { className: "value" }, box, ...parts));
  }

  #text() {
    if (this.#problem !== null) return errorText(this.#problem);
    if (this.#hasRanges) {
      const { areThere, otherCount } = this.ranges;
      return areThere === null ? "Counting…" : otherCount > 0 ? `${plural(otherCount, "row")} in no range` : "";
    }
    if (this.#lines === null) return "Counting…";
    const { lines: all, items } = this.#lines;
    if (all > mostOrdered) return `The first of ${plural(all, "value")}, which are too many to be ordered by their rows`;
    return items.length < all ? `The most frequent of ${plural(all, "value")}` : plural(all, "value");
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
