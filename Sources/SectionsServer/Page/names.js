// The names of the rows that foreign keys in the list refer to. They are read for what is shown, and again when the file has
// changed: the events of a list do not tell that another table has.

import { fetchJSON } from "./answers.js";
import { isFilterable, textOf } from "./cells.js";
import { exactText } from "./condition.js";
import { Throttle, Timers } from "./timers.js";

const waitTime = 30;
const refreshTime = 2_000;
const mostValues = 200; // Of a request.
const mostAsked = 600;
const mostKnown = 5_000;

export class Names {
  #columns = new Map(); // By the name of the column: what it refers to, and the names that are known.
  #timers = new Timers();
  #again = new Throttle(refreshTime, () => this.#read());
  #isPaused = false;

  /**
   * `shownValues(column)` returns the values of a column that are shown, and `onChange(columns)` is called with
   * the names of the columns whose values have other names now.
   */
  constructor(shownValues, onChange) {
    this.shownValues = shownValues;
    this.onChange = onChange;
  }

  /** Reads nothing, or continues. */
  pause(isPaused) {
    const wasPaused = this.#isPaused;
    this.#isPaused = isPaused;
    if (wasPaused && !isPaused) this.refreshSoon();
  }

  /** Reads the names again soon: the file has changed. */
  refreshSoon() {
    this.#again.ask();
  }

  /** Shows another list: `source` describes it, and `sources` are all. */
  show(source, sources) {
    this.#columns = new Map(source.columns.flatMap(({ name, references }) => {
      const target = sources.find((one) => one.name === references?.source);
      if (target?.label === undefined) return [];
      return [[name, { source: target.name, column: references.column, name: target.label, known: new Map() }]];
    }));
  }

  /** Whether the values of a column may have names. */
  has(column) {
    return this.#columns.has(column);
  }

  /** The name of the row that a value in a column refers to; null if it has none, or if it is not known yet. */
  name(column, value) {
    const target = this.#columns.get(column);
    if (target === undefined || value === null || !isFilterable(value)) return null;
    const key = exactText(value);
    if (!target.known.has(key)) this.#timers.soon("read", waitTime, () => this.#read());
    return target.known.get(key) ?? null;
  }

  /** The values of a column whose names have a text in them, some of them if there are many. */
  async find(column, text) {
    const { source, column: key, name } = this.#columns.get(column);
    const { names } = await fetchJSON("api/names", new URLSearchParams({ source, column: key, name, contains: text }));
    return names.map(({ value }) => value).filter((value) => value !== null && isFilterable(value));
  }

  async #read() {
    if (this.#isPaused) return;
    const all = [...this.#columns];
    const changed = await Promise.all(all.map(([name, target]) => this.#readColumn(name, target)));
    const names = all.filter(([name, target], index) => changed[index] && this.#columns.get(name) === target)
      .map(([name]) => name);
    if (names.length > 0 && !this.#isPaused) this.onChange(names);
  }

  /** Returns whether a name is another one now. */
  async #readColumn(shown, target) {
    const { source, column, name, known } = target;
    const values = this.shownValues(shown).filter((value) => (value ?? null) !== null && isFilterable(value));
    const keys = [...new Set(values.map(exactText))].slice(0, mostAsked);
    if (keys.length === 0) return false;
    const parts = Array.from({ length: Math.ceil(keys.length / mostValues) }, (_, number) =>
      keys.slice(number * mostValues, (number + 1) * mostValues));
    const answers = await Promise.all(parts.map((part) => {
      const items = new URLSearchParams({ source, column, name });
      for (const key of part) items.append("value", key);
      return fetchJSON("api/names", items).catch((error) => {
        if (error.isTemporary !== false) this.refreshSoon();
        return null;
      });
    }));
    if (answers.includes(null)) return false;
    const found = new Map(answers.flatMap(({ names }) => names).filter((one) => one.name !== null)
      .map((one) => [exactText(one.value), textOf(one.name).slice(0, 80)]));
    const isChanged = keys.some((key) => (known.get(key) ?? null) !== (found.get(key) ?? null));
    if (known.size > mostKnown) known.clear();
    for (const key of keys) known.set(key, found.get(key) ?? null);
    return isChanged;
  }
}
