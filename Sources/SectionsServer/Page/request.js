// What the page shows: one source with its filters, order, sections and columns. The page's URL
// holds all of it, under the same names as the server's API.

import { ask } from "./answers.js";
import { Filter } from "./condition.js";

const sortSuffixes = new Set(["asc", "desc", "nocase", "rtrim", "nullsfirst", "nullslast"]);

export class ListRequest {
  constructor(fields) {
    this.source = null;
    /** The SELECT that is the source, if one was typed; else null. */
    this.sql = null;
    this.by = null;
    this.sort = [];
    this.filters = [];
    this.columns = [];
    this.totals = []; // `FUNCTION:COLUMN` each.
    this.facets = []; // The columns whose values are beside the list. The server does not ask for them.
    Object.assign(this, fields);
  }

  static fromURL(search) {
    const values = new URLSearchParams(search);
    return new ListRequest({
      source: values.get("source"),
      sql: values.get("sql"),
      by: values.get("by") || null,
      sort: values.getAll("sort"),
      filters: Filter.fromItems(values),
      columns: values.getAll("columns"),
      totals: values.getAll("total"),
      facets: values.getAll("facet"),
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

  /** The rows of a source that have some values in some columns, in the same order. */
  static ofValues(source, columns, values) {
    const filters = columns.map((column, index) => new Filter(column, "eq", String(values[index])));
    return ListRequest.ofSource({ name: source }).with({ filters });
  }

  /** The rows of this list that have a value in a column, which is described. */
  filteredBy(column, value) {
    return this.with({ filters: [...this.filters, Filter.ofValue(column, value)] });
  }

  /** The list with another filter in place of one; `old` is null to add one, and `filter` to remove one. */
  replacing(old, filter) {
    const others = old === null ? [...this.filters, filter] : this.filters.map((one) => (one === old ? filter : one));
    return this.with({ filters: others.filter((one) => one !== null) });
  }

  /** The number of conditions, alternatives included. */
  get conditionCount() {
    return this.filters.reduce((count, { others }) => count + 1 + others.length, 0);
  }

  /**
   * The list whose sections are the values of a column. The choice among these does not apply, but all other filters do,
   * and so do `more`.
   */
  valuesOf(column, more = []) {
    const { source, sql } = this;
    return new ListRequest({
      source, sql, by: column, columns: [column], filters: [...this.filtersBut(column), ...more],
    });
  }

  /** The filters but for the choice among the values of a column. */
  filtersBut(column) {
    return this.filters.filter((filter) => !filter.isChoiceOf(column));
  }

  parameters(more = {}) {
    const values = new URLSearchParams();
    if (this.source !== null) values.set("source", this.source);
    if (this.sql !== null) values.set("sql", this.sql);
    if (this.by !== null) values.set("by", this.by);
    for (const term of this.sort) values.append("sort", term);
    for (const filter of this.filters) {
      for (const [name, text] of filter.items) values.append(name, text);
    }
    for (const column of this.columns) values.append("columns", column);
    for (const total of this.totals) values.append("total", total);
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
    return `api/blob?${this.parameters({ key, column })}`;
  }

  /** The text of the address. */
  get query() {
    return this.address();
  }

  /** The text of the address with further parameters. */
  address(more = {}) {
    const values = this.parameters(more);
    for (const column of this.facets) values.append("facet", column);
    return `?${values}`;
  }

  /** The condition that the search field shows; null if there is none. */
  get search() {
    return this.filters.find(({ isSearch }) => isSearch) ?? null;
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
  const response = await ask("api/blob", request.parameters({ key, column }));
  return response.text();
}

function sorts(term, column) {
  if (term === column) return true;
  if (!term.startsWith(`${column}:`)) return false;
  return term.slice(column.length + 1).split(":").every((suffix) => sortSuffixes.has(suffix));
}
