// The tables and views at the side.

import { find, linkTo, make, numbers, rebuild } from "./cells.js";
import { ListRequest } from "./request.js";

const headings = new Map([["list", "Lists"], ["select", "Queries"], ["table", "Tables"], ["view", "Views"]]);

export class SourceList {
  constructor(root, onChoose) {
    this.root = root;
    this.onChoose = onChoose;
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

  show({ database, sources, sql }, request) {
    const groups = [...headings].flatMap(([kind, heading]) => {
      const members = sources.filter((source) => source.kind === kind);
      if (members.length === 0) return [];
      const items = members.map((source) => this.#item(source, request));
      return [make("h2", {}, heading), make("ul", {}, ...items)];
    });
    const heading = make("p", { className: "database", title: database }, database);
    rebuild(this.root, [heading, ...(sql ? [this.#typed(request)] : []), ...groups]);
  }

  /** The link to the page where SQL is typed. */
  #typed(request) {
    const target = ListRequest.ofSQL("");
    const link = linkTo(target, { className: "sql", "data-name": "SQL", title: "Type a SELECT" }, () => {
      this.toggle(false);
      this.onChoose(target);
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
