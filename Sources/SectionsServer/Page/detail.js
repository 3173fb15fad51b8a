// The panel with all of one row: long texts, JSON in folds, pictures.

import {
  emptyMark, fillCell, foldedValue, isBlob, isCutText, isFilterable, isImage, isSame, jsonOf, linkTo, make, numbers,
  parsedJSON, rebuild, textOf,
} from "./cells.js";
import { copyButton, copyRow } from "./copy.js";
import { linked, readersDate } from "./formats.js";
import { addCount, addName, foreignKeys, keyValues } from "./references.js";
import { fetchText, ListRequest } from "./request.js";
import { described } from "./types.js";

export class Detail {
  #key = null;
  #item = null;
  #links = []; // Read what the links to other rows say.

  /**
   * `onClose(hadFocus)` is called when the panel is closed, `onGo(request)` to show another list, and `onStep(step)` to
   * show the next row (1) or the one before (-1).
   */
  constructor(root, { onClose, onGo, onStep }) {
    this.root = root;
    this.onClose = onClose;
    this.onGo = onGo;
    this.onStep = onStep;
  }

  focus() {
    this.root.querySelector("button")?.focus();
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** The key of the row that is or was shown, as an item of a window has it; null if there is none. */
  get key() {
    return this.#key;
  }

  /**
   * Shows a row of a window. `place` has the request that it belongs to, its columns in order, the description of
   * its source, and those of all, and whether the page is paused: then nothing is read.
   */
  show(item, place) {
    if (!item?.row) return;
    const isSameRow = this.#key === item.key;
    if (this.isOpen && isSameRow && this.#item !== null && hasSameValues(this.#item, item)) {
      this.#item = item;
      return;
    }
    this.#key = item.key;
    this.#item = item;
    this.#links = [];
    const scrolled = isSameRow ? this.root.scrollTop : 0;
    // Not by the names in the row: JavaScript puts those that are numbers first.
    const fields = place.columns.filter((name) => name in item.row).flatMap((name) => [
      make("dt", {}, name, ...this.#filterLink(name, item.row[name], place)),
      this.#description(name, item.row[name], item, place),
    ]);
    const content = [make("dl", {}, ...fields), ...this.#referred(item, place), ...this.#referring(item, place)];
    const copy = copyButton("Copy the row as JSON", () => copyRow(item, place));
    const steps = [this.#step("↑", "Row before", -1), this.#step("↓", "Next row", 1)];
    rebuild(this.root, [this.#heading(place.source.name, ...steps, copy), ...content]);
    this.root.hidden = false;
    this.root.scrollTop = scrolled;
    this.readLinks(place.isPaused);
  }

  /** Reads what the links say: the names of other rows, and how many there are. */
  async readLinks(isPaused) {
    if (!isPaused) await Promise.all(this.#links.map((read) => read()));
  }

  /** Says that there is no row with the key that was asked for. */
  showMissing(source) {
    const notice = missingNotice("This row is not in the list. It may have been deleted.");
    this.root.replaceChildren(this.#heading(source), notice);
    this.root.hidden = false;
  }

  /** Says that the row is no longer in the list. */
  noteLoss(reason) {
    if (!this.isOpen) return;
    this.#item = null;
    this.root.querySelector(".gone")?.remove();
    this.root.firstElementChild.after(missingNotice(reason));
  }

  /** Shows the row as it is in a window, if it is there. */
  follow(window, place) {
    if (!this.isOpen) return;
    const line = window.line(this.#key);
    if (line !== null) this.show(window.item(line), place);
  }

  /** Closes the panel. Returns whether it was open. */
  close() {
    if (!this.isOpen) return false;
    const hadFocus = this.root.contains(document.activeElement);
    this.root.hidden = true;
    this.#key = null;
    this.onClose(hadFocus);
    return true;
  }

  /** The name of the source, buttons, and the one that closes the panel. */
  #heading(source, ...buttons) {
    const close = make(
      "button", { type: "button", className: "plain", "aria-label": "Close", "data-name": "close" }, "×");
    close.addEventListener("click", () => this.close());
    return make("header", {}, make("h2", {}, source), ...buttons, close);
  }

  #step(sign, label, step) {
    const button = make("button", {
      type: "button", className: "plain", "aria-label": label, title: label, "data-name": label,
    }, sign);
    button.addEventListener("click", () => this.onStep(step));
    return button;
  }

  #link(label, title, request) {
    return linkTo(request, { className: "link", title, "aria-label": title }, this.onGo, label);
  }

  /** The link to the rows with the same value. */
  #filterLink(name, value, { request, source }) {
    if (!isFilterable(value)) return [];
    const target = request.filteredBy(described(name, source.columns), value);
    const filter = this.#link("Filter", `Show only rows with this ${name}`, target);
    filter.classList.add("filter");
    return [filter];
  }

  /** A link to the row that a foreign key with some values refers to. */
  #linkTo({ source, referred }, values, { sources }) {
    const target = ListRequest.ofValues(source, referred, values);
    const link = this.#link(source, `Show the ${source} of this row`, target);
    this.#links.push(() => addName(link, target, sources));
    return link;
  }

  /** Links to the rows that the foreign keys of several columns refer to. */
  #referred(item, { source, sources }) {
    const links = (source.keys ?? []).flatMap((key) => {
      const values = keyValues(item.row, key.columns);
      if (values === null) return [];
      return [this.#linkTo(key, values, { sources }), ` by ${key.columns.join(", ")}`];
    });
    return links.length === 0 ? [] : [make("p", { className: "referring" }, "Refers to ", ...links)];
  }

  /** Links to the lists of rows that refer to this one by a foreign key. */
  #referring(item, { request, sources }) {
    const links = sources.flatMap((source) => foreignKeys(source).flatMap((key) => {
      const values = key.source === request.source ? keyValues(item.row, key.referred) : null;
      if (values === null) return [];
      const target = ListRequest.ofValues(source.name, key.columns, values);
      const title = `Show the rows of ${source.name} with this ${key.columns.join(" and ")}`;
      const link = this.#link(source.name, title, target);
      this.#links.push(() => addCount(link, target, key.columns[0]));
      return link;
    }));
    return links.length === 0 ? [] : [make("p", { className: "referring" }, "Referred to by ", ...links)];
  }

  #description(name, value, item, place) {
    const element = make("dd", { dir: "auto" });
    const column = described(name, place.source.columns);
    const address = place.request.valueAddress(item.rowKey, name);
    if (isImage(value)) element.append(picture(name, address), textOf(value));
    else if (isBlob(value)) element.append(download(name, value, address));
    else if (isCutText(value)) element.append(...cutText(name, value, item, place));
    else if (typeof value === "string") element.append(...wholeText(value));
    else fillCell(element, value);
    const { references } = column;
    if (references && value !== null && isFilterable(value)) {
      element.append(this.#linkTo({ source: references.source, referred: [references.column] }, [value], place));
    }
    const date = readersDate(value, column);
    if (date !== null) element.append(make("span", { className: "readers" }, date));
    return element;
  }
}

function hasSameValues(one, other) {
  const names = Object.keys(one.row);
  return names.length === Object.keys(other.row).length
    && names.every((name) => name in other.row && isSame(one.row[name], other.row[name]));
}

function missingNotice(text) {
  return make("p", { className: "gone", role: "status" }, text);
}

function download(name, value, address) {
  return make("a", { href: address, download: name }, textOf(value));
}

function picture(name, address) {
  const image = make("img", { src: address, alt: name });
  return make("a", { href: address, target: "_blank", rel: "noopener" }, image);
}

/** A text, its JSON as folds, or that it is empty. */
function wholeText(value) {
  const json = parsedJSON(value);
  if (json !== null) return [folded(json, true)];
  return value === "" ? [emptyMark()] : linked(value);
}

/** The start of a long text, and a button that brings the rest. */
function cutText(name, value, item, place) {
  const text = make("span", {}, `${value.text}…`);
  const button = make("button", { type: "button", className: "more" },
    `Show all ${numbers.format(value.length)} characters`);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      text.textContent = await fetchText(place.request, item.rowKey, name);
      button.remove();
    } catch (error) {
      button.disabled = false;
      button.textContent = `${error.message} Try again`;
    }
  });
  return [text, make("br"), button];
}

/** JSON as nested folds; the outermost is open. */
function folded(value, isOpen = false) {
  if (value === null || typeof value !== "object") {
    return make("code", {}, jsonOf(value));
  }
  const rows = Object.entries(value).map(([name, member]) =>
    make("li", {}, make("span", { className: "name" }, `${name}: `), folded(member)));
  const summary = make("summary", {}, foldedValue(value));
  return make("details", { className: "json", open: isOpen }, summary, make("ul", {}, ...rows));
}
