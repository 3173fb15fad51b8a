// The conditions of a list: what a chip shows, and what the URL says, under the same names as the server's API.

import { rangeText } from "./formats.js";
import { isNumeric, isText, isTime } from "./types.js";

/** What an operator is called. `null` and `notnull` have no value, `between` and `within` have two. */
const operators = new Map([
  ["contains", "contains"],
  ["not-contains", "does not contain"],
  ["matches", "has the words"],
  ["not-matches", "has not the words"],
  ["begins", "begins with"],
  ["not-begins", "does not begin with"],
  ["eq", "="],
  ["ne", "≠"],
  ["lt", "<"],
  ["le", "≤"],
  ["gt", ">"],
  ["ge", "≥"],
  ["between", "is between"],
  ["not-between", "is not between"],
  ["within", "is from … to below"],
  ["not-within", "is not from … to below"],
  ["null", "is NULL"],
  ["notnull", "is not NULL"],
]);

/** What an operator is called; an address may have one that no form offers, such as `not-eq`. */
export function operatorName(operator) {
  return operators.get(operator) ?? operator;
}

/** What an empty column of a condition stands for. */
export const anyColumn = "any column";

// The operators that choose values of a column, as those beside the list do.
const ofChoice = new Set(["eq", "is", "null", "within"]);
const ofAnyColumn = new Set(["contains", "not-contains", "matches", "not-matches"]);

/** The operators for a column, or for any column if it has no name. Only any column of an indexed source has words. */
export function operatorsFor(column, isIndexed) {
  return [...operators.keys()].filter((name) => (
    name.endsWith("matches") ? column === "" && isIndexed : column !== "" || ofAnyColumn.has(name)));
}

/** The operator that is likely to be meant of a column; of any column if it has no name. */
export function likelyOperator(column) {
  if (isTime(column)) return "ge";
  return isNumeric(column) ? "eq" : "contains";
}

/** One condition, `COLUMN:OPERATOR:VALUE` in the URL, or several of which one must be true. */
export class Filter {
  /** `others`: the conditions that are alternatives to this one. */
  constructor(column, operator, value = "", others = []) {
    this.column = column;
    this.operator = operator;
    this.value = value;
    this.others = others;
  }

  static takesValue(operator) {
    return !/^(not-)?(not)?null$/.test(operator);
  }

  static takesTwo(operator) {
    return operator.endsWith("between") || operator.endsWith("within");
  }

  /** A condition of an operator with two values. */
  static ofTwo(column, operator, low, high) {
    return new Filter(column, operator, `${encoded(low)}:${encoded(high)}`);
  }

  /** Reads the text of a URL. A column's `:` and `%` are percent-encoded in it. */
  static parse(text) {
    const [column, operator, ...rest] = text.split(":");
    return new Filter(decoded(column), operator ?? "", rest.join(":"));
  }

  /** The conditions of a URL: an `or` is an alternative to the `where` before it. */
  static fromItems(items) {
    const filters = [];
    for (const [name, text] of items) {
      if (name === "where") filters.push(Filter.parse(text));
      else if (name === "or" && filters.length > 0) filters.at(-1).others.push(Filter.parse(text));
    }
    return filters;
  }

  /** The condition and its alternatives, as items of a URL. */
  get items() {
    return [["where", this.text], ...this.others.map((other) => ["or", other.text])];
  }

  get text() {
    const start = `${encoded(this.column)}:${this.operator}`;
    return Filter.takesValue(this.operator) ? `${start}:${this.value}` : start;
  }

  /** The values of the operator: none, one or two. */
  get values() {
    if (!Filter.takesValue(this.operator)) return [];
    if (!Filter.takesTwo(this.operator)) return [this.value];
    const [low = "", high = ""] = this.value.split(":").map(decoded);
    return [low, high];
  }

  /** The condition and its alternatives, each without the others. */
  get alternatives() {
    return [this, ...this.others].map(({ column, operator, value }) => new Filter(column, operator, value));
  }

  /** The condition that one of some others is true; null if there are none. */
  static anyOf([first, ...others]) {
    return first === undefined ? null : new Filter(first.column, first.operator, first.value, others);
  }

  /** Whether it is a choice among the values of a column, or among ranges of them. */
  isChoiceOf(column) {
    return [this, ...this.others].every((one) => one.column === column && ofChoice.has(one.operator));
  }

  get label() {
    return this.labelWith(() => null);
  }

  /**
   * What the condition says: `nameOf(column, value)` returns the name of what a foreign key refers to, or null, and
   * `describe(column)` the description of a column.
   */
  labelWith(nameOf, describe = (name) => ({ name })) {
    const isNamed = this.alternatives.some((one) => one.nameWith(nameOf) !== null);
    const isOfRanges = [this, ...this.others].some(({ operator }) => operator === "within");
    if ((this.others.length > 0 || isOfRanges || isNamed) && this.column !== "" && this.isChoiceOf(this.column)) {
      const values = this.alternatives.map((one) => one.nameWith(nameOf) ?? one.shownValue(describe(one.column)));
      return `${this.column} = ${values.join(" or ")}`;
    }
    return [this, ...this.others].map((one) => one.#ownLabel).join(" or ");
  }

  get #ownLabel() {
    const column = this.column || anyColumn;
    if (this.operator === "is") return `${column} = ${shownExactly(this.value)}`;
    return [column, operatorName(this.operator), this.values.join(" and ")].join(" ").trimEnd();
  }

  /** The value that a row must have; undefined for other conditions. */
  get chosenValue() {
    if (this.operator === "is") return this.value.startsWith("'") ? decoded(this.value.slice(1, -1)) : Number(this.value.replace(/^r/, ""));
    if (this.operator !== "eq") return undefined;
    return wholeNumber.test(this.value) ? Number(this.value) : this.value;
  }

  /** The name of what the chosen value refers to, or null. */
  nameWith(nameOf) {
    return this.chosenValue === undefined ? null : nameOf(this.column, this.chosenValue);
  }

  /** The value of a choice as people read it, in a column that is described. */
  shownValue(column) {
    if (this.operator === "null") return "NULL";
    if (this.operator === "within") return rangeText(...this.values, column);
    return this.operator === "is" ? shownExactly(this.value) : this.value;
  }

  /** Whether the search field shows it: it looks for a text in any column, and has no alternative. */
  get isSearch() {
    return this.column === "" && this.others.length === 0 && !this.operator.startsWith("not-");
  }

  /**
   * The condition that a column has a value. The operator `eq` takes a number and the text of its digits for the same,
   * unless the declared type of the column allows only one of them.
   */
  static ofValue(column, value) {
    const { name } = column;
    if (value === null) return new Filter(name, "null");
    const isAmbiguous = !isText(column) && !isNumeric(column) && numberText.test(String(value));
    return isAmbiguous ? new Filter(name, "is", exactText(value)) : new Filter(name, "eq", String(value));
  }
}

const wholeNumber = /^-?\d{1,15}$/;
const numberText = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** A number or a text with its type, as the operator `is` and the key of a row have it. */
export function exactText(value) {
  if (typeof value === "string") return `'${encodeURIComponent(value)}'`;
  return typeof value === "bigint" || Number.isSafeInteger(value) ? String(value) : `r${value}`;
}

function shownExactly(text) {
  return text.startsWith("'") ? JSON.stringify(decoded(text.slice(1, -1))) : text.replace(/^r/, "");
}

function encoded(text) {
  return text.replaceAll("%", "%25").replaceAll(":", "%3A");
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
