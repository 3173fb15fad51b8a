// The search field: it looks for a text in all columns while that is typed.

import { find } from "./cells.js";
import { Filter } from "./condition.js";
import { Timers } from "./timers.js";

const typingTime = 200;

export class Search {
  #request = null;
  #isIndexed = false;
  #timers = new Timers();

  /** `onRequest(request)` is called with the list of the rows that have the text. */
  constructor(onRequest) {
    this.onRequest = onRequest;
    this.field = find("search");
    this.field.addEventListener("input", () => this.#timers.later("typing", typingTime, () => this.#apply()));
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#apply();
    });
  }

  show(request, isIndexed) {
    this.#request = request;
    this.#isIndexed = isIndexed;
    // What is being typed is newer.
    if (!this.#timers.waits("typing")) this.field.value = request.search?.value ?? "";
  }

  focus() {
    this.field.focus();
    this.field.select();
  }

  #apply() {
    this.#timers.cancel("typing");
    const old = this.#request.search;
    const text = this.field.value;
    if (text === (old?.value ?? "")) return;
    const operator = old?.operator ?? (this.#isIndexed ? "matches" : "contains");
    const filter = text.trim() === "" ? [] : [new Filter("", operator, text)];
    const others = this.#request.filters.filter((one) => one !== old);
    this.onRequest(this.#request.with({ filters: [...filter, ...others] }));
  }
}
