// What the page shows: one source with its filters, order, sections and columns. The page's URL
// holds all of it, under the same names as the server's API.

import { ask } from "./sections.js";

export const operators = new Map([
  ["matches", "has the words"],
  ["contains", "contains"],
  ["begins", "begins with"],
  ["eq", "="],
  ["ne", "≠"],
  ["lt", "<"],
  ["le", "≤"],
  ["gt", ">"],
  ["ge", "≥"],
  ["null", "is NULL"],
  ["notnull", "is not NULL"],
]);

const sortSuffixes = new Set(["asc", "desc", "nocase", "rtrim", "nullsfirst", "nullslast"]);

/** What an empty column of a filter stands for. */
export const anyColumn = "any column";

/** One condition: `COLUMN:OPERATOR:VALUE` in the URL. */
export class Filter {
  constructor(column, operator, value = "") {
    this.column = column;
    this.operator = operator;
    this.value = value;
  }

  static takesValue(operator) {
    return operator !== "null" && operator !== "notnull";
  }

  /** Reads the text of a URL. A column's `:` and `%` are percent-encoded in it. */
  static parse(text) {
    const [column, operator, ...rest] = text.split(":");
    return new Filter(decoded(column), operator ?? "", rest.join(":"));
  }

  toString() {
    const column = this.column.replaceAll("%", "%25").replaceAll(":", "%3A");
    const start = `${column}:${this.operator}`;
    return Filter.takesValue(this.operator) ? `${start}:${this.value}` : start;
  }

  get label() {
    const column = this.column || anyColumn;
    if (this.operator === "is") return `${column} = ${shownExactly(this.value)}`;
    const start = `${column} ${operators.get(this.operator) ?? this.operator}`;
    return Filter.takesValue(this.operator) ? `${start} ${this.value}` : start;
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
function exactText(value) {
  if (typeof value === "string") return `'${encodeURIComponent(value)}'`;
  return typeof value === "bigint" || Number.isInteger(value) ? String(value) : `r${value}`;
}

function shownExactly(text) {
  return text.startsWith("'") ? JSON.stringify(decoded(text.slice(1, -1))) : text.replace(/^r/, "");
}

export class ListRequest {
  constructor(fields) {
    this.source = null;
    /** The SELECT that is the source, if one was typed; else null. */
    this.sql = null;
    this.by = null;
    this.sort = [];
    this.filters = [];
    this.columns = [];
    Object.assign(this, fields);
  }

  static fromURL(search) {
    const values = new URLSearchParams(search);
    return new ListRequest({
      source: values.get("source"),
      sql: values.get("sql"),
      by: values.get("by") || null,
      sort: values.getAll("sort"),
      filters: values.getAll("where").map(Filter.parse),
      columns: values.getAll("columns"),
    });
  }

  /** The same request with some fields replaced. */
  with(fields) {
    return new ListRequest({ ...this, ...fields });
  }

  /** Another source: no filter, order or column of this one applies to it. It may have its own. */
  static ofSource({ name, by = null, sort = [] }) {
    return new ListRequest({ source: name, by, sort });
  }

  /** The rows of a SELECT that was typed. */
  static ofSQL(sql) {
    return new ListRequest({ sql });
  }

  /** The rows of a source that have a value in a column. */
  static ofValue(source, column, value) {
    const filter = new Filter(column, "eq", String(value));
    return ListRequest.ofSource({ name: source }).with({ filters: [filter] });
  }

  /** The rows of this list that have a value in a column of a declared type. */
  filteredBy(column, value, type) {
    return this.with({ filters: [...this.filters, Filter.ofValue(column, value, type)] });
  }

  parameters(more = {}) {
    const values = new URLSearchParams();
    if (this.source !== null) values.set("source", this.source);
    if (this.sql !== null) values.set("sql", this.sql);
    if (this.by !== null) values.set("by", this.by);
    for (const term of this.sort) values.append("sort", term);
    for (const filter of this.filters) values.append("where", filter.toString());
    for (const column of this.columns) values.append("columns", column);
    for (const [name, value] of Object.entries(more)) {
      if (value !== null && value !== undefined) values.set(name, value);
    }
    return values;
  }

  /** What the page calls the source. */
  get title() {
    return this.sql === null ? this.source : "SQL";
  }

  /** Whether the rows are those of the same source, perhaps with other filters. */
  hasSourceOf(other) {
    return this.source === other?.source && this.sql === other?.sql;
  }

  /** Where the server has one value of a row. */
  valueAddress(key, column) {
    return `/api/blob?${this.parameters({ key, column })}`;
  }

  get search() {
    return `?${this.parameters()}`;
  }

  /** "asc", "desc" or null if the rows are not sorted by the column. */
  direction(column) {
    const term = this.sort.find((term) => sorts(term, column));
    if (term === undefined) return null;
    return term.slice(column.length).split(":").includes("desc") ? "desc" : "asc";
  }

  /** The request after a click on a column's head: ascending, descending, then unsorted. */
  sortedNext(column, keepsOthers) {
    const others = keepsOthers ? this.sort.filter((term) => !sorts(term, column)) : [];
    const next = { null: `${column}:asc`, asc: `${column}:desc`, desc: null };
    const term = next[this.direction(column)];
    return this.with({ sort: term === null ? others : [...others, term] });
  }
}

/** All of a text that the server cut. */
export async function fetchText(request, key, column) {
  const response = await ask("/api/blob", request.parameters({ key, column }));
  return response.text();
}

function sorts(term, column) {
  if (term === column) return true;
  if (!term.startsWith(`${column}:`)) return false;
  return term.slice(column.length + 1).split(":").every((suffix) => sortSuffixes.has(suffix));
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
