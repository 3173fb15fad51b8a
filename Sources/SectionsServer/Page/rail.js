// The section index beside the list: a press, or a move with the button held, goes to a section.

import { make } from "./cells.js";

const entryHeight = 15;

export class Rail {
  #entries = [];
  #shown = [];

  /**
   * `names`: whether the sections are foreign keys that have names, `areThere()`, and the name of one, `of(section)`, or
   * null.
   */
  constructor(root, names, onChoose) {
    this.root = root;
    this.names = names;
    this.onChoose = onChoose;
    root.addEventListener("pointerdown", (event) => {
      root.setPointerCapture(event.pointerId);
      this.#choose(event);
    });
    root.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) this.#choose(event);
    });
    new ResizeObserver(() => this.#draw()).observe(root);
  }

  /** `entries`: titles and lines, in the order of the list. */
  show(entries) {
    this.#entries = entries;
    this.root.hidden = entries.length < 2;
    this.#draw();
  }

  /** Marks the entry of the first visible line. */
  mark(line) {
    let current = null;
    for (const entry of this.#shown) {
      if (entry.line <= line) current = entry;
    }
    for (const entry of this.#shown) entry.element.classList.toggle("current", entry === current);
  }

  /** The foreign keys that are shown. */
  get values() {
    return this.names.areThere() ? this.#shown.map(({ title }) => keyOf(title)) : [];
  }

  /** Writes the entries again: what they refer to has other names. */
  refill() {
    this.#draw();
  }

  #textOf({ title }) {
    return (this.names.areThere() ? this.names.of(keyOf(title)) : null) ?? title;
  }

  /** Shows as many entries as fit. */
  #draw() {
    if (this.root.hidden) return;
    const room = Math.max(2, Math.floor((this.root.clientHeight - 8) / entryHeight));
    const step = Math.ceil(this.#entries.length / room);
    this.#shown = this.#entries.filter((_, index) => index % step === 0).map((entry) => {
      const text = this.#textOf(entry);
      const element = make("button", { type: "button", tabIndex: -1, title: text }, text || "·");
      element.addEventListener("click", () => this.onChoose(entry.line));
      return { ...entry, element };
    });
    this.root.replaceChildren(...this.#shown.map(({ element }) => element));
  }

  #choose(event) {
    const bounds = this.#shown.map(({ element }) => element.getBoundingClientRect().bottom);
    const found = bounds.findIndex((bottom) => event.clientY < bottom);
    const index = found < 0 ? this.#shown.length - 1 : found;
    if (this.#shown[index]) this.onChoose(this.#shown[index].line);
  }
}

/** The foreign key that is the title of an entry: only a number has all of its digits there. */
function keyOf(title) {
  return /^-?\d{1,15}$/.test(title) ? Number(title) : null;
}
