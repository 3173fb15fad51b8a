// The page: connects the list, the controls and the server.

import { fetchJSON, parseExactly } from "./answers.js";
import { Bar, showProblem, showState } from "./bar.js";
import { find, numbers } from "./cells.js";
import { ChangePane } from "./changes.js";
import { Chart } from "./chart.js";
import { Columns } from "./columns.js";
import { handleCopy, offerCopy } from "./copy.js";
import { Detail } from "./detail.js";
import { LiveWindow } from "./follow.js";
import { FacetPanel } from "./facets.js";
import { Grid, headerCount } from "./grid.js";
import { handleGridKeys, handlePageKeys } from "./keys.js";
import { LineWindow } from "./lines.js";
import { Names } from "./names.js";
import { News } from "./news.js";
import { setUpPrint } from "./print.js";
import { Rail } from "./rail.js";
import { ListRequest } from "./request.js";
import { nextFrame } from "./sections.js";
import { SourceList } from "./sources.js";
import { SQLPane } from "./sql.js";
import { Timers } from "./timers.js";
import { TotalMenu } from "./totals.js";
import { ValueMenu } from "./values.js";

const linesAboveRow = 4; // Above a row that the URL names.
const sourcesTime = 500; // Other tables than the shown one change, too.
const emptyTime = 1_000; // How long the rows of another order or filter may stay.

class Page {
  #request;
  #sources;
  #live = null; // The window of the list that is shown.
  #newer = 0;
  #timers = new Timers();
  #news = new News();
  #widths = new Map(); // The widths of columns that the user has chosen, by the source.
  #row = null; // The key of the row in the URL: the open one, or one that will be opened.
  #isLost = false; // Whether the open row is no longer in the list.
  #awaitsRow = false; // Whether the row at the cursor is to be opened when it has come.
  #marks = new Map(); // What happened to the lines by changes that are not drawn yet.
  #frame = null; // Cancels the frame that will draw them.
  #isReadingSources = false;
  #isAway = false; // Whether there is no connection: then nothing else is asked for.

  constructor(sources) {
    this.#sources = sources;
    this.grid = new Grid(find("list"), {
      onRange: (first, last) => this.#live.fillIfNeeded(first, last),
      onScroll: () => this.#followScroll(),
      onSettle: () => this.#settle(),
      onCursor: () => this.#followCursor(),
      onOpen: () => this.#openDetail(),
      nameOf: (column, value) => this.names.name(column, value),
    });
    this.names = new Names(
      (column) => [...this.grid.shownValues(column), ...this.facets.shownValues(column)],
      (columns) => {
        this.grid.refill(columns);
        this.facets.refill(columns);
      });
    this.values = new ValueMenu(
      find("values"), (request) => this.go(request), (request) => this.#showFacets(request));
    this.bar = new Bar(
      (request) => this.go(request),
      (request) => this.#goOn("columns", request, this.grid.visible.first),
      (request) => this.#goOn("search", request, 0));
    this.sourceList = new SourceList(find("sources"), (request) => this.go(request));
    this.totals = new TotalMenu((request) => this.go(request));
    this.chart = new Chart(find("chart"), (line) => this.grid.scrollToLine(line));
    this.sql = new SQLPane(find("sql"), sources.database, {
      onGo: (request) => (request.query === this.#request.query ? this.#open(request, 0) : this.go(request)),
      onColumns: () => this.#showControls(),
    });
    this.facets = new FacetPanel(find("facets"), {
      onGo: (request) => this.go(request),
      onFacets: (request) => this.#showFacets(request),
      nameOf: (column, value) => this.names.name(column, value),
    });
    this.changes = new ChangePane(find("changes"), (table, key) => this.#goToRow(table, key));
    this.rail = new Rail(find("rail"), (line) => this.grid.scrollToLine(line));
    this.detail = new Detail(find("detail"), {
      onClose: (hadFocus) => this.#closeDetail(hadFocus),
      onGo: (request) => this.go(request),
      onStep: (step) => this.grid.moveToRow(step),
    });
    handleGridKeys(this.grid, () => this.#enterRow());
    handleCopy(this.grid, () => this.#placeOfDetail);
    offerCopy(this.grid, find("selection"));
    handlePageKeys(() => this.bar.search.focus(), [
      () => this.bar.closeColumns(), () => this.sourceList.close(), () => this.detail.close(),
    ]);
    // Not by the address: that would be a step of the history.
    document.querySelector(".skip").addEventListener("click", (event) => {
      event.preventDefault();
      this.grid.root.focus();
    });
    setUpPrint(find("print"), () => this.#window);
    find("newer").addEventListener("click", () => this.grid.scrollToLine(0));
    find("pause").addEventListener("click", () => this.#pause(!this.#live.isPaused));
    addEventListener("popstate", () => this.#open(this.#requestOfURL(), lineOfURL(), rowOfURL()));
    setInterval(() => document.hidden || this.#loadSources(), sourcesTime);
    history.scrollRestoration = "manual";
  }

  /** Shows the list of the URL. `first`: the body of its first window, if the page came with it. */
  start(first) {
    this.#begin(this.#requestOfURL(), rowOfURL());
    const line = lineOfURL();
    const isShown = first?.window && (line === 0 || history.state === null) && this.#row === null;
    if (!isShown) return this.#load(line);
    return this.#live.start(new LineWindow(first), (window) => this.#showList(window, line));
  }

  /** Goes to another list, as a step of the browser's history. */
  go(request) {
    if (request.query === this.#request.query) return;
    this.#keepPlace();
    history.pushState({ line: 0 }, "", request.query);
    this.#open(request, 0);
  }

  /** Goes to another list; several times for the same `reason` are one step of the history. */
  #goOn(reason, request, line) {
    this.#keepPlace();
    if (history.state?.reason === reason) history.replaceState({ line, reason }, "", request.query);
    else history.pushState({ line, reason }, "", request.query);
    this.#open(request, line);
  }

  /** Shows a row of a table: in the list that is shown, if it is one of that table. */
  #goToRow(table, key) {
    const isShown = this.#request.source === table && this.#request.filters.length === 0;
    const request = isShown ? this.#request : ListRequest.ofSource({ name: table });
    history.pushState({ line: 0 }, "", request.address({ row: key }));
    this.#open(request, 0, key);
  }

  #requestOfURL() {
    const request = ListRequest.fromURL(location.search);
    if (request.source !== null || request.sql !== null) return request;
    return request.with({ source: this.#sources.sources[0]?.name });
  }

  // The list

  #open(request, line, row = null) {
    this.#begin(request, row);
    this.#load(line);
  }

  #begin(request, row) {
    this.#forgetChange();
    if (!request.hasSourceOf(this.#request)) this.grid.clear();
    this.#timers.later("empty", emptyTime, () => this.grid.clear());
    this.#request = request;
    this.sql.show(request);
    this.#newer = 0;
    this.#live?.end();
    this.#live = new LiveWindow(request, {
      onMove: (window) => this.#move(window),
      onChange: (window, changed) => this.#change(window, changed),
      onState: (state, error) => this.#showConnection(state, error),
    });
    this.changes.follow(this.#live, this.#source);
    this.detail.close();
    this.#news.forget();
    this.#row = row;
    this.#pause(false);
    this.rail.show([]);
    showState("connecting", null);
    showProblem(null);
    showLoading(true);
    find("list").setAttribute("aria-label", request.title);
    document.title = `${request.title} · ${this.#sources.database}`;
    this.chart.show(request);
    this.#showControls();
    this.names.show(this.#source, this.#sources.sources);
    this.sourceList.show(this.#sources, request);
  }

  #showControls() {
    this.bar.show(this.#request, this.#source);
    this.totals.show(this.#request, this.#source);
    this.facets.show(this.#request, this.#source, this.#live);
  }

  /** Shows the values of other columns beside the list. */
  #showFacets(request) {
    this.#request = request;
    this.#showControls();
    this.#keepPlace();
    this.#loadIndex(); // What was asked for an earlier request is not taken over.
  }

  get #source() {
    const { source, sql } = this.#request;
    if (sql !== null) return this.sql.source;
    const known = this.#sources.sources.find(({ name }) => name === source);
    return known ?? { name: source, columns: [] };
  }

  #load(line) {
    if (!this.sql.mayRun(this.#request)) return this.#showNothing();
    this.#live.load(line, this.#row, (window) => this.#showList(window, line));
  }

  /** Shows no rows: there is no SQL, or the user has not run it. */
  #showNothing() {
    this.grid.clear();
    this.changes.follow(null, this.#source);
    this.#timers.cancel("empty");
    showState("idle", null);
    showLoading(false);
    find("counts").textContent = "";
  }

  get #window() {
    return this.#live?.current ?? null;
  }

  #showList(window, first) {
    this.#timers.cancel("empty");
    const line = window.line(`row ${this.#row}`);
    this.#showColumns();
    this.grid.cursor = { line: line ?? first, column: 0, key: null };
    this.grid.show(window);
    this.grid.scrollToLine(line === null ? first : Math.max(0, line - linesAboveRow));
    if (line !== null) this.#openDetail();
    else if (this.#row !== null) this.detail.showMissing(this.#request.title);
    showLoading(false);
    this.#showAround();
    this.#loadIndex();
  }

  #showColumns() {
    const known = new Map(this.#source.columns.map((column) => [column.name, column]));
    const { source } = this.#request;
    const chosen = this.#widths.get(source) ?? new Map();
    this.#widths.set(source, chosen);
    const columns = new Columns(this.#window.columns, (name) => ({
      type: known.get(name)?.type ?? "",
      key: known.get(name)?.key ?? false,
      isReference: known.get(name)?.references !== undefined,
    }), chosen);
    columns.measure(this.#window.items, this.grid.font);
    this.columns = columns;
    this.grid.setColumns(
      columns, this.#request,
      (name, keepsOthers) => this.go(this.#request.sortedNext(name, keepsOthers)),
      (name, button) => this.values.open(name, known.get(name)?.type ?? "", this.#request, button));
  }

  /** Shows what depends on the window outside the grid. */
  #showAround() {
    this.bar.showCounts(this.#window, this.#request.by !== null);
    this.rail.mark(this.grid.visible.first);
    if (!this.#live.hasRow) this.detail.follow(this.#window, this.#placeOfDetail);
    if (this.#request.filters.length > 0 || this.#source.count === this.#window.rows) return;
    this.#source.count = this.#window.rows;
    this.sourceList.show(this.#sources, this.#request);
  }

  // Changes

  #move(window) {
    if (this.#frame !== null) {
      this.#drawChange();
    } else {
      if (this.columns.widen(window.items, this.grid.font)) this.grid.applyWidths();
      this.grid.show(window);
      this.#showAround();
    }
    if (this.#awaitsRow && this.detail.isOpen) this.#openDetail();
  }

  /** Takes over a change, which the next frame draws: with all others that come until then. */
  #change(window, changed = {}) {
    for (const [key, kind] of window.marks(changed)) {
      if (this.#marks.get(key) !== "inserted") this.#marks.set(key, kind);
    }
    if (this.#frame !== null) return;
    this.#frame = nextFrame(() => this.#drawChange());
  }

  #drawChange() {
    const [window, before, marks] = [this.#window, this.grid.window, this.#marks];
    this.#forgetChange();
    if (window.columns.join("\n") !== before.columns.join("\n")) {
      this.#showColumns();
      this.#loadSources();
    } else if (this.columns.widen(window.items, this.grid.font)) {
      this.grid.applyWidths();
    }
    const anchor = this.grid.change(window, marks);
    this.#news.count(marks);
    if (anchor !== null) this.#countNewer(before, window, anchor);
    this.#showAround();
    this.#askForRow();
    this.#timers.soon("values", 1000, () => this.values.refresh());
    this.#timers.soon("index", 800, () => this.#loadIndex());
  }

  #forgetChange() {
    this.#frame?.();
    this.#frame = null;
    this.#marks = new Map();
  }

  /** Counts the rows that came above the visible ones. */
  #countNewer(before, window, anchor) {
    const headers = headerCount(window, anchor.now) - headerCount(before, anchor.before);
    const rows = anchor.now - anchor.before - headers;
    this.#newer = Math.max(0, this.#newer + rows);
    this.#showNewer();
  }

  #showNewer() {
    this.#newer = Math.min(this.#newer, this.grid.visible.first);
    const button = find("newer");
    button.hidden = this.#newer === 0;
    button.textContent = `↑ ${numbers.format(this.#newer)} newer above`;
  }

  async #loadIndex() {
    const request = this.#request;
    if (request.by === null || this.#live.isPaused) return;
    this.chart.refresh();
    const index = await fetchJSON("api/index", request.parameters()).catch(() => null);
    if (index === null || request !== this.#request || this.#live.isPaused) return;
    this.rail.show(index.entries);
    this.rail.mark(this.grid.visible.first);
  }

  async #loadSources() {
    if (this.#live.isPaused || this.#isAway || this.#isReadingSources) return;
    this.#isReadingSources = true;
    const sources = await fetchJSON("api/sources", "").catch(() => null);
    this.#isReadingSources = false;
    if (sources === null || this.#live.isPaused) return;
    const columns = JSON.stringify(this.#source.columns);
    this.#sources = sources;
    this.sourceList.show(sources, this.#request);
    // Otherwise the menus stay as they are: one may be open.
    if (JSON.stringify(this.#source.columns) !== columns) this.#showControls();
  }

  // The user

  #followScroll() {
    this.#showNewer();
    this.rail.mark(this.grid.visible.first);
  }

  #settle() {
    this.grid.render();
    this.#keepPlace();
  }

  get #placeOfDetail() {
    return {
      request: this.#request, columns: this.#window.columns, source: this.#source,
      sources: this.#sources.sources, isPaused: this.#live.isPaused,
    };
  }

  #openDetail() {
    if (this.#window === null) return; // Another list is being read.
    const item = this.grid.cursorItem;
    this.#awaitsRow = item === null;
    if (!item?.row) return;
    this.#isLost = false;
    this.#timers.cancel("loss");
    if (this.detail.key !== item.key) this.#news.say(`Row ${item.rowKey} is open`);
    this.detail.show(item, this.#placeOfDetail);
    this.#live.followRow(item.rowKey, (item) => this.#followRow(item));
    this.#keepRow(item.rowKey);
  }

  /** Shows the open row as it is now, wherever it is in the list; null if it is no longer there. */
  #followRow(item) {
    this.#timers.cancel("loss");
    this.#isLost = item === null;
    if (item !== null) return this.detail.show(item, this.#placeOfDetail);
    // The list of all rows may be a moment behind this one.
    this.#timers.later("loss", 1000, () => this.#explainLoss());
    return this.#explainLoss();
  }

  /** Reads the open row if no window follows it, and the lines that the page holds do not have it. */
  async #askForRow() {
    const { key } = this.detail;
    if (key === null || this.#live.hasRow || this.#window.line(key) !== null) return;
    const [request, row] = [this.#request, this.#row];
    let item = null;
    try {
      const body = await fetchJSON("api/rows", request.parameters({ key: row, count: 1 }));
      item = new LineWindow(body).items.find(({ rowKey }) => rowKey === row) ?? null;
    } catch (error) {
      if (error.status !== 404) return;
    }
    if (this.detail.key === key && this.#request === request && !this.#live.hasRow) this.#followRow(item);
  }

  async #explainLoss() {
    const [request, key] = [this.#request, this.#row];
    const reason = await this.#reasonOfLoss(request, key);
    if (this.#isLost && this.#request === request && this.#row === key) this.detail.noteLoss(reason);
  }

  async #reasonOfLoss(request, key) {
    if (request.sql !== null) return "This row has left the result.";
    if (request.filters.length === 0) return "This row was deleted.";
    // Rows of a view are not told apart in the same way in two lists.
    if (this.#source.kind !== "table") return "This row was deleted, or has left this list.";
    const whole = ListRequest.ofSource({ name: request.source });
    try {
      await fetchJSON("api/rows", whole.parameters({ key, count: 1 }));
    } catch (error) {
      if (error.status === 404) return "This row was deleted.";
    }
    return "This row has left this list.";
  }

  /** Opens the row at the cursor; if it is open, the focus goes there. */
  #enterRow() {
    const item = this.grid.cursorItem;
    if (this.detail.isOpen && item !== null && this.detail.key === item.key) this.detail.focus();
    else this.#openDetail();
  }

  #closeDetail(hadFocus) {
    this.#awaitsRow = false;
    this.#live.followRow(null);
    this.#keepRow(null);
    if (hadFocus) this.grid.root.focus();
  }

  /** Names a row in the URL. Browsers allow some hundred changes of it in half a minute. */
  #keepRow(key) {
    this.#row = key;
    this.#timers.later("place", 200, () => this.#keepPlace());
  }

  #keepPlace() {
    const address = this.#request.address({ row: this.#row });
    history.replaceState({ ...history.state, line: this.grid.visible.first }, "", address);
  }

  #followCursor() {
    if (this.detail.isOpen) this.#openDetail();
  }

  #pause(isPaused) {
    this.#live.pause(isPaused, this.grid.visible.first);
    this.bar.showPause(isPaused);
    this.names.isPaused = isPaused;
    find("list").classList.toggle("paused", isPaused);
  }

  #showConnection(state, error) {
    showState(state, error);
    this.#isAway = state === "reconnecting";
    this.names.isPaused = this.#live.isPaused || this.#isAway;
    if (state === "live" || state === "polling") showProblem(null);
    if (state === "late") showProblem(error, "Try again", () => this.#open(this.#request, 0));
    if (state === "refused") {
      showLoading(false);
      if (this.#window === null) this.grid.clear();
      this.#timers.cancel("empty");
      find("counts").textContent = "";
      if (this.#request.sql !== null) {
        if (error.status === 400) showState("idle", null); // What was typed is wrong, and not the connection.
        return this.sql.showError(error);
      }
      const whole = ListRequest.ofSource({ name: this.#request.source });
      if (error.status === 400) showProblem(error, "Show the whole table", () => this.go(whole));
      else showProblem(error, "Try again", () => location.reload());
    }
  }
}

/** The key of the row that the URL names, or null. */
function rowOfURL() {
  return new URLSearchParams(location.search).get("row");
}

/** The line at which the list begins: the one of before, or the one that the URL names for a page without scripts. */
function lineOfURL() {
  const line = history.state?.line ?? Number(new URLSearchParams(location.search).get("from"));
  return Number.isSafeInteger(line) && line > 0 ? line : 0;
}

/** Dims the rows that are about to be replaced; after a second the page says that it reads. */
function showLoading(isLoading) {
  find("list").classList.toggle("loading", isLoading);
  find("list").ariaBusy = isLoading;
}

function readJSON(id) {
  return parseExactly(find(id).textContent || "null");
}

const page = new Page(readJSON("source-list"));
page.start(readJSON("first"));
