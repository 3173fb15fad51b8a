// What has changed: a pane beside the list, with the changed rows of the shown table or of all, the last one first. While
// nobody sees the page, its title counts them.

import { fetchJSON } from "./answers.js";
import { find, linkTo, make, plural, rebuild, textOf } from "./cells.js";
import { ListRequest } from "./request.js";
import { Toggle } from "./toggle.js";

const most = 300; // The changes that are kept, of each table and of all together.
const hiddenPause = 30_000; // A hidden page has no stream for long, so it asks.
const signs = { insert: "+", update: "±", delete: "−" };
const words = { insert: "Inserted", update: "Updated", delete: "Deleted" };

export class ChangePane {
  #live = null; // The window whose stream brings the changes.
  #log = null; // Its part of the stream; null while the pane is closed.
  #last = null; // The name of the last change that is known.
  #lists = new Map([[null, []]]); // The changes by table, the last one first; those of all under null.
  #problem = null;
  #source = { name: "", kind: "" };
  #awaits = false; // Whether a frame will draw.
  #unseen = 0; // Changes while nobody saw the page.
  #wasTable = false; // Whether the list before was of a table: then the user has chosen the scope.
  #title = null; // What the page is called otherwise, while nobody sees it.

  /** `onRow(table, key)` is called to show a row. */
  constructor(root, onRow) {
    this.root = root;
    this.onRow = onRow;
    this.button = make("button", {
      type: "button", id: "show-changes", className: "quiet", "aria-controls": "changes", title: "Show what has changed",
    }, "Changes");
    this.toggle = new Toggle(this.button, "changes", (isOpen) => this.#setOpen(isOpen));
    find("export").before(this.button);
    this.scope = make("select", { id: "changes-scope", "aria-label": "Tables" });
    this.scope.addEventListener("change", () => this.#draw());
    this.when = make("p", { className: "quiet", id: "changes-when" });
    this.list = make("ol", { id: "changes-list" });
    const close = make("button", { type: "button", className: "plain", "aria-label": "Close" }, "×");
    close.addEventListener("click", () => {
      this.toggle.set(false);
      this.button.focus();
    });
    root.append(
      make("header", {}, make("h2", {}, "What changed"), this.scope, close), this.when, this.list);
    document.addEventListener("visibilitychange", () => this.#followVisibility());
    setInterval(() => document.hidden && this.#ask(), hiddenPause);
    root.hidden = !this.toggle.isOpen;
  }

  /** Follows the changes by the stream of another list; not at all if `live` is null. */
  follow(live, source) {
    this.#live = live;
    this.#source = source;
    this.#log = null; // The stream before has ended with its list.
    const chosen = this.scope.value;
    const isTable = source.kind === "table";
    const options = isTable ? [["table", source.name], ["all", "All tables"]] : [["all", "All tables"]];
    this.scope.replaceChildren(...options.map(([value, label]) => make("option", { value }, label)));
    if (isTable && chosen === "all" && this.#wasTable) this.scope.value = "all";
    this.#wasTable = isTable;
    this.#listen();
    this.#draw();
  }

  #setOpen(isOpen) {
    this.root.hidden = !isOpen;
    if (isOpen) this.#listen();
    else this.#log?.close();
    if (!isOpen) this.#log = null;
    this.#draw();
  }

  #listen() {
    if (this.root.hidden || this.#log !== null) return;
    this.#log = this.#live?.followNews("changes", () => this.#last, (news) => this.#receive(news)) ?? null;
  }

  /** Asks for the changes, without a stream. */
  async #ask() {
    if (this.root.hidden || this.#live === null || this.#live.isPaused) return;
    const parameters = new URLSearchParams(this.#last === null ? {} : { after: this.#last });
    const news = await fetchJSON("api/changes", parameters).catch(() => null);
    if (news !== null) this.#receive(news);
  }

  #receive({ before, last, problem = null, entries }) {
    const isFirst = this.#last === null;
    if (last === this.#last && problem === this.#problem) return;
    if (!isFirst && before !== this.#last) this.#keep({ gap: "Changes before this were not seen", time: Date.now() });
    for (const entry of entries) this.#keep(entry);
    this.#last = last;
    this.#problem = problem;
    if (document.hidden && !isFirst) this.#count(entries);
    if (this.#awaits || document.hidden) return;
    this.#awaits = true;
    requestAnimationFrame(() => this.#draw());
  }

  #keep(entry) {
    const table = entry.table ?? null;
    for (const [name, list] of this.#lists) {
      // What is of no table is told of each.
      if (name === null || table === null) put(list, entry);
    }
    if (table === null) return;
    if (!this.#lists.has(table)) this.#lists.set(table, []);
    put(this.#lists.get(table), entry);
  }

  get #table() {
    return this.scope.value === "table" ? this.#source.name : null;
  }

  #draw() {
    this.#awaits = false;
    if (this.root.hidden) return;
    const entries = this.#lists.get(this.#table) ?? [];
    const time = entries.find(({ gap }) => gap === undefined)?.time;
    this.when.textContent = this.#live === null ? "Changes are followed beside a list."
      : this.#problem ? `${this.#problem}.`
      : time === undefined ? "Nothing yet: changes are listed from now on." : `Last change ${clock(time)}`;
    rebuild(this.list, entries.map((entry) => this.#line(entry)));
  }

  #line(entry) {
    if (entry.element === undefined || entry.scope !== this.#table) {
      entry.scope = this.#table;
      entry.element = make("li", {}, ...this.#content(entry));
      if (entry.op) entry.element.className = entry.op;
    }
    return entry.element;
  }

  #content({ time, op, table, key, columns, old, new: now, gap, schema, object, name, more, tables }) {
    const at = make("time", {}, clock(time));
    if (gap !== undefined) return [at, make("span", { className: "quiet" }, gap)];
    if (schema !== undefined) return [at, make("span", {}, `${object} ${name} was ${schema}`)];
    if (more !== undefined) return [at, make("span", {}, `${plural(more, "more row")} of ${tables.join(", ")}`)];
    const sign = make("span", { className: "sign", role: "img", "aria-label": words[op] }, signs[op]);
    const where = this.#table === null ? `${table} ${key ?? ""}` : key ?? "";
    const label = op !== "delete" && key !== undefined ? this.#link(table, key, where) : make("span", { className: "row-name" }, where);
    return [at, sign, label, make("span", { className: "values" }, ...values(columns, old, now))];
  }

  #link(table, key, label) {
    const list = ListRequest.ofSource({ name: table });
    return linkTo(list, {
      href: list.address({ row: key }), className: "row-name", title: "Show this row", "data-name": `${table} ${key}`,
    }, () => this.onRow(table, key), label || "row");
  }

  // A page that nobody sees

  #followVisibility() {
    if (document.hidden) {
      this.#unseen = 0;
      this.#title = document.title;
      return;
    }
    if (this.#title !== null && this.#unseen > 0) document.title = this.#title;
    this.#title = null;
    this.#draw();
  }

  #count(entries) {
    const shown = entries.filter(({ table, more, tables }) => this.#table === null || table === this.#table
      || (more !== undefined && tables.includes(this.#table)));
    this.#unseen += shown.reduce((sum, { op, more = 0 }) => sum + (op ? 1 : more), 0);
    if (this.#unseen === 0 || this.#title === null) return;
    document.title = `${plural(this.#unseen, "change")} while you were away · ${this.#title}`;
  }
}

function put(list, entry) {
  list.unshift(entry);
  if (list.length > most) list.pop();
}

/** The changed columns with their values: before and after, or the only ones. */
function values(columns, old, now) {
  return columns.flatMap((name, place) => {
    const parts = [make("span", { className: "column" }, `${name} `)];
    if (old && now) parts.push(make("del", {}, short(old[place])), " → ", make("ins", {}, short(now[place])));
    else parts.push(short((now ?? old)[place]));
    return [make("span", { className: "value" }, ...parts), " "];
  });
}

function short(value) {
  const text = textOf(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function clock(time) {
  return new Date(time).toLocaleTimeString();
}
