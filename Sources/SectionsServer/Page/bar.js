// The bar above the list: title, counts, state, sections and columns.

import { closeByClickOutside, find, labelledBox, make, plural, rebuild, totalsTexts } from "./cells.js";
import { Filters } from "./filters.js";
import { Search } from "./search.js";

export class Bar {
  /**
   * `onRequest(request)` is called with what a control asks for, `onColumns(request)` with other columns, and
   * `onSearch(request)` for each part of a text that is typed. `names` has the names of foreign keys, and
   * `valuesOf(column)` returns the values of a column that are on the screen.
   */
  constructor(names, onRequest, onColumns, onSearch, valuesOf) {
    this.onRequest = onRequest;
    this.onColumns = onColumns;
    this.request = null;
    this.filters = new Filters(onRequest, names, valuesOf);
    this.search = new Search(onSearch);
    for (const id of ["tools", "export", "pause"]) find(id).hidden = false;
    find("group").addEventListener("change", (event) => {
      this.onRequest(this.request.with({ by: event.target.value || null }));
    });
    for (const id of ["columns", "export"]) closeByClickOutside(find(id));
  }

  show(request, source) {
    this.request = request;
    const names = source.columns.map(({ name }) => name);
    // Those that are shown if the address has none.
    this.defaultColumns = source.shown ?? names;
    find("title").textContent = source.name;
    const expressions = request.by === null || names.includes(request.by) ? [] : [request.by];
    fillColumns(find("group"), [...names, ...expressions], request.by ?? "");
    const isIndexed = source.indexed ?? false;
    this.filters.show(request, source.columns, isIndexed);
    this.search.show(request, isIndexed);
    this.#showColumns(names);
    for (const format of ["csv", "json", "ndjson"]) {
      find(format).href = `api/export?${request.parameters({ format })}`;
    }
  }

  showCounts({ rows, sections, totals }, isGrouped) {
    const texts = [plural(rows, "row")];
    if (isGrouped) texts.push(plural(sections, "section"));
    // What has no room is hidden as a whole.
    const parts = [...texts.map((text) => make("span", {}, text)), ...totalsTexts(totals)];
    for (const part of parts.slice(1)) part.prepend(" · ");
    find("counts").replaceChildren(...parts);
  }

  /** Says what is exported: a paused page keeps its rows, but the server has only the newest. */
  showPause(isPaused) {
    find("pause").setAttribute("aria-pressed", isPaused);
    find("pause").textContent = isPaused ? "Resume" : "Pause";
    find("export-label").textContent = isPaused ? "Export newest rows" : "Export";
    find("export").title = isPaused ? "The rows of the file now, not those that are shown" : "";
  }

  /** Closes the list of columns. Returns whether it was open. */
  closeColumns() {
    const columns = find("columns");
    if (!columns.open) return false;
    if (columns.contains(document.activeElement)) columns.firstElementChild.focus();
    columns.open = false;
    return true;
  }

  #showColumns(names) {
    const shown = this.request.columns.length > 0 ? this.request.columns : this.defaultColumns;
    rebuild(find("column-list"), names.map((name) =>
      labelledBox(name, shown.includes(name), () => this.#chooseColumns())));
  }

  #chooseColumns() {
    const boxes = [...find("column-list").querySelectorAll("input")];
    const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
    if (chosen.length === 0) return;
    const isDefault = chosen.length === this.defaultColumns.length
      && this.defaultColumns.every((name) => chosen.includes(name));
    const columns = isDefault ? [] : chosen;
    this.onColumns(this.request.with({ columns }));
  }
}

function fillColumns(select, names, value) {
  const options = names.map((name) => make("option", { value: name }, name));
  select.replaceChildren(make("option", { value: "" }, "none"), ...options);
  if (names.includes(value)) select.value = value;
}
