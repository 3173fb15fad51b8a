// A client of `sections serve`: lists of a database that stay up to date. Modules without dependencies, which the page
// itself uses. Another page may import this one from the server, or have a copy of it and of those that it imports.
// `sections.d.ts` has its types.
//
//     import { live } from "http://127.0.0.1:8080/assets/sections.js";
//
//     const list = live("http://127.0.0.1:8080", { source: "Track", by: "GenreId", sort: "Name" });
//     list.window(0, 60, (window) => {
//       console.log(window.rows, "rows", window.items.map(({ row, header }) => row ?? header));
//     });
//
// `sections serve --allow-origin ORIGIN` lets a page of another origin read the lists.

import { fetchJSON } from "./answers.js";
import { Frames } from "./frames.js";
import { LineWindow } from "./lines.js";
import { Subscription } from "./stream.js";

export { parseExactly, ServerError } from "./answers.js";
export { LineWindow } from "./lines.js";

/**
 * A list. `parameters` are those of `/api/rows`: `source`, `sql`, `by`, `sort`, `where`, `or` after `where`,
 * `columns` and `total`; an array stands for a parameter that is repeated. `token` is the server's, if it has one.
 */
export function live(address, parameters, { token = null } = {}) {
  const base = String(address).replace(/\/$/, "");
  const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
  const query = (more) => new URLSearchParams(
    Object.entries({ ...parameters, ...more }).flatMap(([name, value]) =>
      [value].flat().filter((item) => item != null).map((item) => [name, item])));

  /**
   * Shows `count` lines from a line on, and follows them until `close()` of the result is called.
   * `move(from, count)` of the result shows others; they come after one round trip.
   *
   * `render(window, marks)` receives a `LineWindow` once for each frame with a newer version, and what happened to its
   * lines since the frame before: a map from their keys to "inserted", "updated" or "moved". `onState(state, error)`
   * receives "live", "late" if the server cannot read a newer version or is silent, "reconnecting" and "refused".
   */
  function window(from, count, render, onState = () => {}) {
    const frames = new Frames(render);
    const subscription = new Subscription(base, query, {
      onWindow: (window, changed) => frames.add(window, window.marks(changed)), onState,
    }, headers);
    subscription.open({ from, count });
    return {
      move: (from, count) => subscription.move({ from, count }),
      close: () => {
        frames.cancel();
        subscription.close();
      },
    };
  }

  return {
    window,
    /**
     * The same for frameworks with external stores: `useSyncExternalStore(store.subscribe, store.getSnapshot)` in
     * React, a `shallowRef` that is set in `subscribe` in Vue. It is connected as long as somebody subscribes.
     */
    store(from, count) {
      return new Store((onWindow, onState) => window(from, count, onWindow, onState));
    },
    /** Lines of the newest version. */
    async lines(from, count) {
      return new LineWindow(await fetchJSON(`${base}/api/rows`, query({ from, count }), { headers }));
    },
  };
}

/** What is shown now, as a value that is the same until the next one. */
class Store {
  #snapshot = Object.freeze({ window: null, marks: new Map(), state: "connecting", error: null });
  #listeners = new Set();
  #window = null;
  #place = null; // Where the window was moved while nobody listened.

  constructor(open) {
    this.open = open;
    this.subscribe = this.subscribe.bind(this);
    this.getSnapshot = this.getSnapshot.bind(this);
  }

  /** Calls `listener()` after each change. Returns the function that ends that. */
  subscribe(listener) {
    this.#listeners.add(listener);
    if (this.#window === null) {
      this.#window = this.open(
        (window, marks) => this.#change({ window, marks }), (state, error) => this.#change({ state, error }));
      if (this.#place !== null) this.#window.move(...this.#place);
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#window?.close();
      this.#window = null;
    };
  }

  /** `{window, marks, state, error}`: `window` is null before the first one. */
  getSnapshot() {
    return this.#snapshot;
  }

  move(from, count) {
    this.#place = [from, count];
    this.#window?.move(from, count);
  }

  #change(news) {
    const isSame = Object.entries(news).every(([name, value]) => this.#snapshot[name] === value);
    if (isSame) return;
    this.#snapshot = Object.freeze({ ...this.#snapshot, ...news });
    for (const listener of this.#listeners) listener();
  }
}
