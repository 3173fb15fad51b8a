// What the server has: its tables and views with their columns and counts. They change, too.

import { fetchJSON } from "./answers.js";

const refreshTime = 500;

export class Catalog {
  #isReading = false;

  /**
   * `all`: the answer of `/api/sources`. `mayRead()` returns whether it may be asked for again, and `onChange()` is called
   * after that.
   */
  constructor(all, { mayRead, onChange }) {
    this.all = all;
    this.mayRead = mayRead;
    this.onChange = onChange;
    setInterval(() => document.hidden || this.read(), refreshTime);
  }

  get sources() {
    return this.all.sources;
  }

  /** What tells the database from others of the site: two files may have one name. */
  get key() {
    const { database, index } = this.all;
    return index === undefined ? database : `${database} ${location.pathname}`;
  }

  /** What is known of the source with a name. */
  source(name) {
    return this.sources.find((source) => source.name === name) ?? { name, columns: [] };
  }

  async read() {
    if (this.#isReading || !this.mayRead()) return;
    this.#isReading = true;
    const all = await fetchJSON("api/sources", "").catch(() => null);
    this.#isReading = false;
    if (all === null || !this.mayRead()) return;
    this.all = all;
    this.onChange();
  }
}
