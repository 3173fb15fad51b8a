// The values of a column as ranges: numbers between round ones, and dates in periods. They are counted by one request,
// and again after a change.

import { fetchJSON } from "./answers.js";
import { isNumber } from "./cells.js";
import { Filter } from "./condition.js";
import { rangeText } from "./formats.js";
import { Timers } from "./timers.js";
import { isReal, isTime, mayBeTime, timeUnit } from "./types.js";

const shortestWait = 1_000; // Between two counts.
const restFactor = 20; // The server rests for so many times as long as the last count took.
const manyValues = 80; // Different whole numbers on the screen: more are not listed one by one.

export class Ranges {
  #request = null;
  #column = null; // The description of the column.
  #counted = null; // What the server has said last; null if nothing yet.
  #countedRequest = null; // Of which list that is.
  #time = 0; // That the last count took.
  #isCounting = false;
  #isPaused = () => false;
  #timers = new Timers();

  /** `onChange(problem)` is called after each count: with why there are none, or null. */
  constructor(onChange) {
    this.onChange = onChange;
  }

  /**
   * Whether ranges are what is looked for in a column: its values on the screen, `shown`, are numbers or dates that differ.
   * If none is known, its declared type decides.
   */
  static suit(shown, column) {
    const known = shown.filter((value) => value !== null);
    if (column.references !== undefined) return false;
    if (known.length === 0) return isReal(column) || isTime(column);
    const count = new Set(known).size;
    if (known.every((value) => isDate(value, column))) return count > 3;
    if (!known.every(isNumber)) return false;
    return known.every((value) => Number.isInteger(Number(value))) ? count >= manyValues : count > 10;
  }

  /** Whether the column can be divided: false if the server says that it cannot, null if that is not known yet. */
  get areThere() {
    return this.#counted === null ? null : this.#counted.unit !== null;
  }

  /** The ranges, each with its condition, its text and its number of rows; NULL is one of them. */
  get items() {
    if (!this.areThere) return [];
    const { ranges, null: nullCount } = this.#counted;
    const items = ranges.map(({ low, high, count }) => ({
      condition: Filter.ofTwo(this.#column.name, "within", String(low), String(high)),
      text: rangeText(low, high, this.#column), count,
    }));
    if (nullCount === 0) return items;
    return [...items, { condition: new Filter(this.#column.name, "null"), text: null, count: nullCount }];
  }

  /** The number of rows that are in no range. */
  get otherCount() {
    return this.#counted?.other ?? 0;
  }

  /**
   * Counts in a list, if that is another one. `column` describes the column, and `isPaused()` says whether the rows are
   * kept as they are.
   */
  show(request, column, isPaused) {
    this.#column = column;
    this.#isPaused = isPaused;
    const list = request.with({
      by: null, sort: [], columns: [], totals: [], facets: [], filters: request.filtersBut(column.name),
    });
    if (this.#request?.query === list.query) return;
    this.#request = list;
    this.#count();
  }

  /** Counts again soon: the rows have changed. */
  refreshSoon() {
    this.#timers.soon("count", Math.max(shortestWait, restFactor * this.#time), () => this.#count());
  }

  close() {
    this.#request = null;
    this.#timers.cancel("count");
  }

  async #count() {
    const request = this.#request;
    if (request === null || this.#isPaused()) return;
    if (this.#isCounting) return this.refreshSoon();
    this.#isCounting = true;
    const start = performance.now();
    let problem = null;
    let counted = request === this.#countedRequest ? this.#counted : null;
    try {
      counted = await fetchJSON("api/ranges", request.parameters({ column: this.#column.name }));
    } catch (error) {
      problem = error;
    }
    this.#isCounting = false;
    this.#time = performance.now() - start;
    if (this.#request === null) return;
    if (this.#request !== request) return this.#count();
    [this.#counted, this.#countedRequest] = [counted, request];
    if (problem?.isTemporary) this.#timers.later("count", problem.waitTime, () => this.#count());
    this.onChange(problem);
  }
}

/** Whether a value is divided into periods: a text in ISO 8601, or a number in a column of times. */
function isDate(value, column) {
  if (typeof value === "string") return /^\d{4}-[01]\d/.test(value);
  return isNumber(value) && mayBeTime(column) && timeUnit(value) !== null;
}
