// What a screen reader is told of changes: at most one sentence every few seconds.

import { find, plural } from "./cells.js";

const pauseTime = 3_000;

export class News {
  #counts = new Map();
  #timer = null;

  /** Says a sentence at once. */
  say(text) {
    find("news").textContent = text;
  }

  /** Counts what happened to the lines of the list: `marks` are those of a change. */
  count(marks) {
    for (const kind of marks.values()) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    if (this.#counts.size > 0) this.#timer ??= setTimeout(() => this.#sayCounts(), pauseTime);
  }

  /** Forgets what was counted: another list is shown. */
  forget() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#counts.clear();
  }

  #sayCounts() {
    const parts = [...this.#counts].map(([kind, count]) => `${plural(count, "row")} ${kind}`);
    this.forget();
    this.say(parts.join(", "));
  }
}
