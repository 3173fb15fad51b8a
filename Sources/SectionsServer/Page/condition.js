// The conditions of a list: what a chip shows, and what the URL says, under the same names as the server's API.

/** What an operator is called. `null` and `notnull` have no value, `between` has two. */
export const operators = new Map([
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
  ["null", "is NULL"],
  ["notnull", "is not NULL"],
]);

/** What an empty column of a condition stands for. */
export const anyColumn = "any column";

// The operators that choose one value of a column.
const ofOneValue = new Set(["eq", "is", "null"]);
const ofAnyColumn = new Set(["contains", "not-contains", "matches", "not-matches"]);

/** The operators for a column, or for any column if it has no name. Only any column of an indexed source has words. */
export function operatorsFor(column, isIndexed) {
  return [...operators.keys()].filter((name) => (
    name.endsWith("matches") ? column === "" && isIndexed : column !== "" || ofAnyColumn.has(name)));
}

/** The operator that is likely to be meant of a column with a declared type; of any column if it has no name. */
export function likelyOperator(column, type) {
  if (column === "") return "contains";
  if (/DATE|TIME/i.test(type)) return "ge";
  return /INT|REAL|NUM|DEC|FLOA|DOUB/i.test(type) ? "eq" : "contains";
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
    return operator !== "null" && operator !== "notnull";
  }

  static takesTwo(operator) {
    return operator.endsWith("between");
  }

  static between(column, operator, low, high) {
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

  /** Whether it is a choice among the values of a column. */
  isChoiceOf(column) {
    return [this, ...this.others].every((one) => one.column === column && ofOneValue.has(one.operator));
  }

  get label() {
    if (this.others.length > 0 && this.column !== "" && this.isChoiceOf(this.column)) {
      return `${this.column} = ${this.alternatives.map((one) => one.shownValue).join(" or ")}`;
    }
    return [this, ...this.others].map((one) => one.#ownLabel).join(" or ");
  }

  get #ownLabel() {
    const column = this.column || anyColumn;
    if (this.operator === "is") return `${column} = ${this.shownValue}`;
    return [column, operators.get(this.operator) ?? this.operator, this.values.join(" and ")].join(" ").trimEnd();
  }

  /** The value of a choice as people read it. */
  get shownValue() {
    if (this.operator === "null") return "NULL";
    return this.operator === "is" ? shownExactly(this.value) : this.value;
  }

  /** Whether the search field shows it: it looks for a text in any column, and has no alternative. */
  get isSearch() {
    return this.column === "" && this.others.length === 0 && !this.operator.startsWith("not-");
  }

  /**
   * The condition that a column has a value. The operator `eq` takes a number and the text of its digits for the same,
   * unless the declared `type` of the column allows only one of them.
   */
  static ofValue(column, value, type) {
    if (value === null) return new Filter(column, "null");
    const isAmbiguous = !typesOfOneKind.test(type) && numberText.test(String(value));
    return isAmbiguous ? new Filter(column, "is", exactText(value)) : new Filter(column, "eq", String(value));
  }
}

const typesOfOneKind = /INT|CHAR|CLOB|TEXT|REAL|FLOA|DOUB/i;
const numberText = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** A number or a text with its type, as the operator `is` and the key of a row have it. */
export function exactText(value) {
  if (typeof value === "string") return `'${encodeURIComponent(value)}'`;
  return typeof value === "bigint" || Number.isInteger(value) ? String(value) : `r${value}`;
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
