// The button that says how many rows have come above those on the screen, and leads there.

import { numbers } from "./cells.js";
import { headerCount } from "./headers.js";

export class Newer {
  #count = 0;

  constructor(button, grid) {
    this.button = button;
    this.grid = grid;
    button.addEventListener("click", () => grid.scrollToLine(0));
  }

  forget() {
    this.#count = 0;
  }

  /** Counts the rows that came between two windows, above a line whose numbers `before` and `now` are known. */
  count(old, window, { before, now }) {
    const headers = headerCount(window, now) - headerCount(old, before);
    this.#count = Math.max(0, this.#count + now - before - headers);
    this.show();
  }

  show() {
    this.#count = Math.min(this.#count, this.grid.visible.first);
    this.button.hidden = this.#count === 0;
    this.button.textContent = `↑ ${numbers.format(this.#count)} newer above`;
  }
}
