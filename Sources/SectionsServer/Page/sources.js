// The tables and views at the side, with a field that finds them in a long list.

import { find, linkTo, make, numbers, rebuild } from "./cells.js";
import { ListRequest } from "./request.js";

const fewest = 15; // Sources of a list that has the field.
const headings = new Map([["list", "Lists"], ["select", "Queries"], ["table", "Tables"], ["view", "Views"]]);

export class SourceList {
  #shown = null; // The sources and the list that are shown.

  /**
   * `onChoose(request)` is called with the list that is chosen, and `onSQL()` to show the list that is there as SQL.
   */
  constructor(root, onChoose, onSQL) {
    this.root = root;
    this.onChoose = onChoose;
    this.onSQL = onSQL;
    this.field = make("input", {
      type: "search", placeholder: "Find a table", "aria-label": "Find a table or view", spellcheck: false, "data-name": "find",
    });
    this.field.addEventListener("input", () => this.#draw());
    // Enter opens the first one that was found.
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.lists.querySelector("ul a")?.click();
    });
    this.heading = make("div", {});
    this.lists = make("div", {});
    root.replaceChildren(this.heading, this.field, this.lists);
    this.menu = find("menu");
    this.menu.hidden = false;
    this.menu.addEventListener("click", () => this.toggle());
    document.addEventListener("click", (event) => {
      if (!root.contains(event.target) && event.target !== this.menu) this.toggle(false);
    });
  }

  /** On a narrow screen, shows or hides the list. */
  toggle(isOpen = !this.root.classList.contains("open")) {
    this.root.classList.toggle("open", isOpen);
    this.menu.setAttribute("aria-expanded", isOpen);
  }

  /** On a narrow screen, hides the list. Returns whether it was shown. */
  close() {
    const isOpen = this.root.classList.contains("open");
    if (isOpen && this.root.contains(document.activeElement)) this.menu.focus();
    this.toggle(false);
    return isOpen;
  }

  show(all, request) {
    this.#shown = { all, request };
    this.#draw();
  }

  #draw() {
    const { all: { database, sources, sql, index }, request } = this.#shown;
    this.field.hidden = sources.length < fewest;
    const text = this.field.hidden ? "" : this.field.value.trim().toLowerCase();
    const groups = [...headings].flatMap(([kind, heading]) => {
      const members = sources.filter((source) => source.kind === kind && source.name.toLowerCase().includes(text));
      if (members.length === 0) return [];
      const items = members.map((source) => this.#item(source, request));
      return [make("h2", {}, heading), make("ul", {}, ...items)];
    });
    const title = make("p", { className: "database", title: database }, database);
    const others = index === undefined ? [] : [make("a", { href: index, className: "index", "data-name": "index" }, "All databases")];
    rebuild(this.heading, [title, ...others, ...(sql ? [this.#typed(request)] : []), schemaLink(request)]);
    const none = make("p", { className: "none", role: "status" }, `No name has “${text}” in it.`);
    rebuild(this.lists, groups.length === 0 && text !== "" ? [none] : groups);
  }

  /** The link to the page where SQL is typed. */
  #typed(request) {
    const target = ListRequest.ofSQL("");
    const isList = request.sql === null;
    const title = isList ? "Show this list as a SELECT, and change it" : "Type another SELECT";
    const link = linkTo(target, { className: "sql", "data-name": "SQL", title }, () => {
      this.toggle(false);
      if (isList) this.onSQL();
      else this.onChoose(target);
    }, make("span", { className: "name" }, "SQL"));
    if (request.sql !== null) link.setAttribute("aria-current", "page");
    return link;
  }

  #item(source, request) {
    const { name, count } = source;
    const target = ListRequest.ofSource(source);
    const properties = { title: name, "data-name": name };
    const go = () => {
      this.toggle(false);
      this.onChoose(target);
    };
    const link = linkTo(target, properties, go,
      make("span", { className: "name" }, name),
      make("span", { className: "count" }, count === null ? "…" : numbers.format(count)));
    if (name === request.source) link.setAttribute("aria-current", "page");
    return make("li", {}, link);
  }
}

/** The link to the page of the schema, at the place of the shown table. */
function schemaLink({ source }) {
  const place = source === null ? "" : `#t-${encodeURIComponent(source)}`;
  return make("a", {
    href: `schema${place}`, className: "schema", title: "Columns, keys, indexes, triggers and SQL", "data-name": "Schema",
  }, make("span", { className: "name" }, "Schema"));
}
