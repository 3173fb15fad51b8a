// That the file has changed: the tables and views are others then, and so may be what the page has read by requests. It is
// told in the stream of the list, or in one of its own while there is no list.

import { LiveWindow } from "./follow.js";

export class FileNews {
  #version = null; // The name of the last version that is known.
  #schema = null; // The number of changes of the schema.
  #alone = null; // Follows the file while no list does.
  #isMissed = false; // Whether it has changed while nobody saw the page.

  /**
   * `isPaused()` says whether nothing is to be read. `onSources(all)` is called with another answer of `/api/sources`,
   * `onChange()` when the file has changed and somebody sees the page, and `onSchema()` when the schema is another.
   */
  constructor({ isPaused, onSources, onChange, onSchema }) {
    this.handlers = { isPaused, onSources, onChange, onSchema };
    document.addEventListener("visibilitychange", () => {
      if (this.#isMissed) this.#tell();
    });
  }

  /** Follows it in the stream of a list. */
  follow(live) {
    this.#alone?.end();
    this.#alone = null;
    live.followNews("file", ...this.#reading);
  }

  /** Follows it in a stream of its own, until there is a list. */
  followAlone() {
    this.#alone ??= LiveWindow.ofFile(...this.#reading);
  }

  get #reading() {
    return [() => this.#version, (news) => this.#receive(news)];
  }

  #receive({ version, schema, sources }) {
    // What a paused page misses is told again when it continues: it has an older version then.
    if (version === this.#version || this.handlers.isPaused()) return;
    const isOther = this.#schema !== null && this.#schema !== schema;
    [this.#version, this.#schema] = [version, schema];
    if (sources !== undefined) this.handlers.onSources(sources);
    if (isOther) this.handlers.onSchema();
    this.#tell();
  }

  #tell() {
    this.#isMissed = document.hidden;
    if (!this.#isMissed) this.handlers.onChange();
  }
}
