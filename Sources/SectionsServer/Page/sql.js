// SQL that is typed: the editor above the list of its rows, what was typed before, and why it is wrong.

import { closeByClickOutside, linkTo, make } from "./cells.js";
import { Queries } from "./queries.js";
import { ListRequest } from "./request.js";
import { Upkeep } from "./upkeep.js";

const commandKey = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

const longest = 14_000; // A server reads no longer address than 16 KiB.

export class SQLPane {
  #request = null; // The list whose SQL is shown; null on other pages.
  #error = null; // Why its SQL was refused.

  /**
   * `onGo(request)` is called to show a list, also if it is shown already; `onColumns()` when the columns of the
   * result are known.
   */
  constructor(root, database, { onGo, onColumns }) {
    this.root = root;
    this.onGo = onGo;
    /** The description of the result, as the server has one of each table. */
    this.source = describe([]);
    this.queries = new Queries(database);
    this.text = make("textarea", {
      id: "sql-text", spellcheck: false, autocomplete: "off", autocapitalize: "off", rows: 5,
      "aria-label": "A SELECT", "aria-describedby": "sql-note sql-error",
      placeholder: "SELECT … FROM … — its rows stay up to date",
    });
    this.run = make("button", { type: "submit", id: "sql-run", className: "primary" }, "Run");
    this.note = make("p", { id: "sql-note", className: "quiet", role: "status" });
    this.error = make("div", { id: "sql-error", role: "alert", hidden: true });
    this.name = make("input", {
      id: "sql-name", type: "search", placeholder: "Name", "aria-label": "Name of this query", autocomplete: "off",
    });
    this.save = make("button", { type: "button", id: "sql-save" }, "Save");
    this.menu = make("details", { id: "sql-menu", className: "menu" }, make("summary", {}, "Queries"));
    this.upkeep = new Upkeep(make("section", { id: "sql-upkeep", "aria-label": "How it is kept up to date" }),
      (columns) => {
        this.source = describe(columns);
        onColumns();
      });
    root.replaceChildren(this.#form(), this.upkeep.root);
    closeByClickOutside(this.menu);
  }

  #form() {
    const buttons = make("div", { className: "line" }, this.run, this.menu, this.name, this.save, this.note);
    const form = make("form", { id: "sql-form" }, this.text, buttons, this.error);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#run();
    });
    this.text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.#run();
    });
    this.text.addEventListener("input", () => this.#showNote());
    this.name.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // Not Run.
      this.#save();
    });
    this.save.addEventListener("click", () => this.#save());
    this.menu.addEventListener("toggle", () => this.menu.open && this.#fillMenu());
    return form;
  }

  /** Shows the editor with the SQL of a list, or hides it if the list has none. */
  show(request) {
    const isSame = request.sql !== null && request.sql === this.#request?.sql;
    this.#request = request.sql === null ? null : request;
    this.root.hidden = request.sql === null;
    this.showError(null);
    if (!isSame) this.source = describe([]);
    if (request.sql !== null && !isSame) {
      this.text.value = request.sql;
      this.name.value = this.queries.nameOf(request.sql) ?? "";
    }
    this.upkeep.follow(request.sql !== null && this.mayRun(request) ? request : null);
    this.#showNote();
  }

  /**
   * Whether a list may be read. SQL that was never run or named in this browser may come from somebody else's link:
   * the user reads it first, and runs it.
   */
  mayRun({ sql }) {
    return sql === null || (sql.trim() !== "" && this.queries.knows(sql));
  }

  /** The list of SQL that was made here, and may be run; without SQL if an address has no room for it. */
  requestOf(sql) {
    if (encodeURIComponent(sql).length > longest) return ListRequest.ofSQL("");
    if (sql !== "") this.queries.note(sql);
    return ListRequest.ofSQL(sql);
  }

  /** Says why the SQL was refused, and where that is; nothing if `error` is null. */
  showError(error) {
    this.#error = error;
    this.error.hidden = error === null;
    if (error === null) return;
    const content = [make("strong", {}, error.message), make("span", {}, error.nextStep)];
    if (error.place !== null) content.splice(1, 0, ...this.#place(error.place));
    this.error.replaceChildren(...content);
  }

  /** The line and the column of a place, and the line with a mark there. */
  #place(place) {
    const { sql } = this.#request;
    const start = sql.lastIndexOf("\n", place - 1) + 1;
    const line = sql.slice(start).split("\n", 1)[0];
    const length = Math.max(1, sql.slice(place).match(/^(\w+|"[^"]*"|\S)/u)?.[0].length ?? 1);
    const number = sql.slice(0, place).split("\n").length;
    const [before, marked, after] = [
      line.slice(0, place - start), line.slice(place - start, place - start + length),
      line.slice(place - start + length)];
    const show = make("button", { type: "button", className: "link" }, `line ${number}, column ${place - start + 1}`);
    show.addEventListener("click", () => {
      this.text.focus();
      if (this.text.value === sql) this.text.setSelectionRange(place, place + length);
    });
    return [show, make("code", {}, before, make("mark", {}, marked || " "), after)];
  }

  #run() {
    const sql = this.text.value;
    if (sql.trim() === "") return this.text.focus();
    if (encodeURIComponent(sql).length > longest) {
      return this.showError({ message: "The SQL is too long", nextStep: "Make a view of it.", place: null });
    }
    this.queries.note(sql);
    // The order, the filters and the columns of another query say nothing of this one.
    const isSame = sql === this.#request?.sql;
    this.onGo(isSame ? this.#request : ListRequest.ofSQL(sql));
  }

  #save() {
    const [name, sql] = [this.name.value.trim(), this.text.value];
    if (name === "") return this.name.focus();
    if (sql.trim() === "") return this.text.focus();
    this.queries.save(name, sql);
    this.#showNote(`Saved as ${name}`);
  }

  #showNote(text = null) {
    const sql = this.#request?.sql ?? "";
    const isShown = this.text.value === sql && sql !== "" && this.mayRun({ sql });
    this.run.classList.toggle("due", !isShown && this.text.value.trim() !== "");
    const notes = [`${commandKey}+Enter runs it`];
    if (sql !== "" && !this.mayRun({ sql })) notes.unshift("This SQL came with the address. Read it before you run it");
    else if (!isShown && sql !== "") notes.unshift("The rows are those of the SQL before");
    this.note.textContent = text ?? notes.join(" · ");
  }

  #fillMenu() {
    const { named, recent } = this.queries;
    const groups = [
      ["Named", named.map(({ name, sql }) => this.#entry(name, sql, () => this.queries.remove(name)))],
      ["Recent", recent.map((sql) => this.#entry(oneLine(sql), sql, () => this.queries.forget(sql)))],
    ].filter(([, entries]) => entries.length > 0);
    const content = groups.flatMap(([heading, entries]) => [make("h2", {}, heading), make("ul", {}, ...entries)]);
    if (content.length === 0) content.push(make("p", { className: "quiet" }, "What you run or save is listed here."));
    this.menu.replaceChildren(this.menu.firstElementChild, make("div", { id: "sql-list" }, ...content));
  }

  #entry(label, sql, onRemove) {
    const link = linkTo(ListRequest.ofSQL(sql), { title: sql }, (request) => {
      this.menu.open = false;
      this.queries.note(sql);
      this.onGo(request);
    }, label);
    const remove = make("button", { type: "button", className: "plain", "aria-label": `Remove ${label}` }, "×");
    remove.addEventListener("click", (event) => {
      event.stopPropagation();
      onRemove();
      this.#fillMenu();
    });
    return make("li", {}, link, remove);
  }
}

function describe(columns) {
  return { name: "SQL", kind: "select", columns: columns.map((name) => ({ name })) };
}

function oneLine(sql) {
  return sql.trim().replace(/\s+/g, " ");
}
