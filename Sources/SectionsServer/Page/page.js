// The page: connects the list, the controls and the server.

import { keepPlace, lineOfAddress, requestOfAddress, rowOfAddress, step } from "./address.js";
import { fetchJSON, parseExactly } from "./answers.js";
import { Bar } from "./bar.js";
import { Catalog } from "./catalog.js";
import { find } from "./cells.js";
import { ChangePane } from "./changes.js";
import { handleCopy, offerCopy } from "./copy.js";
import { LiveWindow } from "./follow.js";
import { FacetPanel } from "./facets.js";
import { FileNews } from "./file.js";
import { Grid } from "./grid.js";
import { SectionGuide } from "./guide.js";
import { handleGridKeys, handlePageKeys, handleSkip } from "./keys.js";
import { LineWindow } from "./lines.js";
import { ListView } from "./listview.js";
import { Names } from "./names.js";
import { Newer } from "./newer.js";
import { News } from "./news.js";
import { OpenRow } from "./openrow.js";
import { setUpPrint } from "./print.js";
import { ListRequest } from "./request.js";
import { SourceList } from "./sources.js";
import { SQLPane } from "./sql.js";
import { showConnection, showEmpty, showLoading, showProblem, showState } from "./state.js";
import { Timers } from "./timers.js";
import { TotalMenu } from "./totals.js";
import { ValueMenu } from "./values.js";

const emptyTime = 1_000; // How long the rows of another order or filter may stay.

class Page {
  #request;
  #controls = ""; // The columns that the menus are made for.
  #live = null; // The window of the list that is shown.
  #timers = new Timers();
  #news = new News();
  #isAway = false; // Whether there is no connection: then nothing else is asked for.

  constructor(sources) {
    this.catalog = new Catalog(sources);
    this.file = new FileNews({
      isPaused: () => this.#live.isPaused,
      onSources: (all) => this.#showSources(all),
      onChange: () => this.#followFile(),
      onSchema: () => this.sql.upkeep.refresh(true),
    });
    this.grid = new Grid(find("list"), {
      onRange: (first, last) => this.#live.fillIfNeeded(first, last),
      onScroll: () => this.#followScroll(),
      onSettle: () => this.#settle(),
      onCursor: () => this.row.followCursor(),
      onOpen: () => this.row.open(),
      nameOf: (column, value) => this.names.name(column, value),
    });
    const named = () => [this.grid, this.bar.filters, this.facets, this.values, this.guide];
    this.names = new Names(
      (column) => named().flatMap((part) => part.shownValues(column)),
      (columns) => named().forEach((part) => part.refill(columns)));
    this.values = new ValueMenu(
      find("values"), this.names, (request) => this.go(request), (request) => this.#showFacets(request));
    this.bar = new Bar(
      this.names,
      (request) => this.go(request),
      (request) => this.#goOn("columns", request, this.grid.visible.first),
      (request) => this.#goOn("search", request, 0),
      (column) => this.grid.shownValues(column));
    this.sourceList = new SourceList(find("sources"), (request) => this.go(request), () => this.#goToSQL());
    this.totals = new TotalMenu((request) => this.go(request));
    this.sql = new SQLPane(find("sql"), this.catalog.key, {
      onGo: (request) => (request.query === this.#request.query ? this.#open(request, 0) : this.go(request)),
      onColumns: () => this.#showControls(),
    });
    this.facets = new FacetPanel(find("facets"), {
      onGo: (request) => this.go(request),
      onFacets: (request) => this.#showFacets(request),
      names: this.names,
    });
    this.changes = new ChangePane(find("changes"), (table, key) => this.#goToRow(table, key));
    const now = () => ({
      request: this.#request, live: this.#live, window: this.#window, source: this.#source,
      sources: this.catalog.sources, isNamed: (column) => this.names.has(column),
    });
    this.guide = new SectionGuide(this.grid, this.names, now);
    this.row = new OpenRow(find("detail"), this.grid, {
      now,
      onGo: (request) => this.go(request),
      // Browsers allow some hundred changes of the address in half a minute.
      onKey: () => this.#timers.later("place", 200, () => this.#keepPlace()),
      onSay: (text) => this.#news.say(text),
    });
    this.newer = new Newer(find("newer"), this.grid);
    this.list = new ListView(this.grid, this.newer, {
      now,
      onSort: (name, keepsOthers) => this.go(this.#request.sortedNext(name, keepsOthers)),
      onValues: (column, button) => this.values.open(column, this.#request, button),
      onShow: () => this.#showAround(),
      onChange: (marks) => this.#followChange(marks),
    });
    handleGridKeys(this.grid, () => this.row.enter());
    handleSkip(this.grid);
    handleCopy(this.grid, () => this.row.place);
    offerCopy(this.grid, find("selection"));
    handlePageKeys(() => this.bar.search.focus(), [
      () => this.bar.closeColumns(), () => this.sourceList.close(), () => this.row.close(),
    ]);
    setUpPrint(find("print"), () => this.#window);
    find("pause").addEventListener("click", () => this.#pause(!this.#live.isPaused));
    addEventListener("popstate", () => this.#open(this.#requested, lineOfAddress(), rowOfAddress()));
    history.scrollRestoration = "manual";
  }

  /** Shows the list of the URL. `first`: the body of its first window, if the page came with it. */
  start(first) {
    this.#begin(this.#requested, rowOfAddress());
    const line = lineOfAddress();
    const isShown = first?.window && (line === 0 || history.state === null) && this.row.key === null;
    if (!isShown) return this.#load(line);
    return this.#live.start(new LineWindow(first), (window) => this.#showList(window, line));
  }

  /** Goes to another list, as a step of the browser's history. */
  go(request) {
    if (request.query === this.#request.query) return;
    this.#keepPlace();
    step(request);
    this.#open(request, 0);
  }

  /** Goes to the SQL of the list that is shown. If that is not known, to none. */
  async #goToSQL() {
    const request = this.#request;
    const { sql } = await fetchJSON("api/sql", request.parameters()).catch(() => ({ sql: "" }));
    if (request === this.#request) this.go(this.sql.requestOf(sql));
  }

  /** Goes to another list; several times for the same `reason` are one step of the history. */
  #goOn(reason, request, line) {
    this.#keepPlace();
    step(request, { line, reason });
    this.#open(request, line);
  }

  /** Shows a row of a table: in the list that is shown, if it is one of that table. */
  #goToRow(table, key) {
    const isShown = this.#request.source === table && this.#request.filters.length === 0;
    const request = isShown ? this.#request : ListRequest.ofSource({ name: table });
    step(request, { row: key });
    this.#open(request, 0, key);
  }

  /** The list of the address; that of the first source if it names none. */
  get #requested() {
    const request = requestOfAddress();
    if (request.source !== null || request.sql !== null) return request;
    return request.with({ source: this.catalog.sources[0]?.name });
  }

  // The list

  #open(request, line, row = null) {
    this.#begin(request, row);
    this.#load(line);
  }

  #begin(request, row) {
    this.list.begin();
    if (!request.hasSourceOf(this.#request)) this.grid.clear();
    this.#timers.later("empty", emptyTime, () => this.grid.clear());
    this.#request = request;
    this.sql.show(request);
    this.#live?.end();
    this.#live = new LiveWindow(request, {
      onMove: (window) => {
        this.list.move(window);
        this.row.openAwaited();
      },
      onChange: (window, changed) => this.list.change(window, changed),
      onState: (state, error) => this.#showConnection(state, error),
    });
    this.changes.follow(this.#live, this.#source);
    this.file.follow(this.#live);
    this.row.begin(row);
    this.#news.forget();
    this.#pause(false);
    showState("connecting", null);
    showProblem(null);
    showLoading(true);
    this.#showTools(true);
    find("list").setAttribute("aria-label", request.title);
    document.title = `${request.title} · ${this.catalog.all.database}`;
    this.guide.begin(request);
    this.names.show(this.#source, this.catalog.sources);
    this.#showControls();
    this.sourceList.show(this.catalog.all, request);
  }

  #showControls() {
    this.#controls = JSON.stringify(this.#source.columns);
    this.bar.show(this.#request, this.#source);
    showEmpty(this.#request, (request) => this.go(request));
    this.totals.show(this.#request, this.#source);
    this.facets.show(this.#request, this.#source, this.#live);
  }

  /** Shows the values of other columns beside the list. */
  #showFacets(request) {
    this.#request = request;
    this.#showControls();
    this.#keepPlace();
  }

  get #source() {
    const { source, sql } = this.#request;
    return sql === null ? this.catalog.source(source) : this.sql.source;
  }

  #load(line) {
    if (!this.sql.mayRun(this.#request)) return this.#showNothing();
    this.#live.load(line, this.row.key, (window) => this.#showList(window, line));
  }

  /** Shows no rows: there is no SQL, or the user has not run it. */
  #showNothing() {
    this.grid.clear();
    this.changes.follow(null, this.#source);
    this.file.followAlone();
    this.#timers.cancel("empty");
    showState("idle", null);
    showLoading(false);
    this.#showTools(false);
    find("counts").textContent = "";
  }

  /** Shows what controls a list, or hides it while there is none. */
  #showTools(isUsable) {
    document.body.classList.toggle("no-list", !isUsable);
  }

  get #window() {
    return this.#live?.current ?? null;
  }

  #showList(window, first) {
    this.#timers.cancel("empty");
    this.#showTools(true);
    this.row.showFirst(this.list.showFirst(window, first, this.row.key));
    showLoading(false);
    this.facets.decide();
    this.#showAround();
    this.guide.refresh();
  }

  /** Shows what depends on the window outside the grid. */
  #showAround() {
    this.bar.showCounts(this.#window, this.#request.by !== null);
    this.guide.mark();
    this.row.showIn(this.#window);
    if (this.#takeCount()) this.sourceList.show(this.catalog.all, this.#request);
  }

  /** Takes the number of rows from the list, which knows it first. Returns whether it is another one. */
  #takeCount() {
    const { rows } = this.#window ?? this.#source;
    if (this.#window === null || this.#request.filters.length > 0 || this.#source.count === rows) return false;
    this.#source.count = rows;
    return true;
  }

  // Changes

  #followChange(marks) {
    this.#news.count(marks);
    this.row.ask();
    this.guide.refreshSoon();
  }

  /** Reads again what depends on rows that are not in the list: each commit may change it. */
  #followFile() {
    this.names.refreshSoon();
    this.values.refreshSoon();
    this.facets.refreshSoon();
    this.row.refreshSoon();
    this.sql.upkeep.refresh(false);
  }

  #showSources(all) {
    this.catalog.all = all;
    this.#takeCount();
    this.sourceList.show(this.catalog.all, this.#request);
    // Otherwise the menus stay as they are: one may be open.
    if (JSON.stringify(this.#source.columns) === this.#controls) return;
    this.names.show(this.#source, all.sources);
    this.#showControls();
  }

  // The user

  #followScroll() {
    this.newer.show();
    this.guide.mark();
  }

  #settle() {
    this.grid.render();
    this.#keepPlace();
  }

  #keepPlace() {
    keepPlace(this.#request, this.row.key, this.grid.visible.first);
  }

  #pause(isPaused) {
    this.#live.pause(isPaused, this.grid.visible.first);
    this.bar.showPause(isPaused);
    this.names.pause(isPaused || this.#isAway);
    find("list").classList.toggle("paused", isPaused);
    if (isPaused) return;
    this.facets.refreshSoon();
    this.row.refreshSoon();
  }

  #showConnection(state, error) {
    this.#isAway = state === "reconnecting";
    this.names.pause(this.#live.isPaused || this.#isAway);
    showConnection(state, error, this.#request, {
      onAgain: () => this.#open(this.#request, lineOfAddress(), rowOfAddress()),
      onGo: (request) => this.go(request),
    });
    if (state === "refused") this.#showRefusal(error);
  }

  #showRefusal(error) {
    showLoading(false);
    this.file.followAlone();
    if (this.#window === null) this.grid.clear();
    this.#timers.cancel("empty");
    find("counts").textContent = "";
    const { sql, query } = this.#request;
    if (sql === null || error.status !== 400) return;
    this.sql.showError(error);
    // What was added to the SQL, such as a condition, may be wrong instead: it can be removed.
    if (this.#window === null && query === ListRequest.ofSQL(sql).query) this.#showTools(false);
  }
}

function readJSON(id) {
  return parseExactly(find(id).textContent || "null");
}

const page = new Page(readJSON("source-list"));
page.start(readJSON("first"));
