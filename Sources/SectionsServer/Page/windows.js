// What is in a stream of events: windows, which show parts of lists and move, and what is told of the file.

import { ServerError } from "./answers.js";
import { LineWindow } from "./lines.js";

// A browser has six connections to a server. Later moves wait, and the last one counts.
const mostMoves = 2;

/** A window of a stream, and the part of its list that it shows or is to show. */
export class StreamWindow {
  #moves = { made: 0, sent: 0, shown: 0, onTheirWay: 0 };
  #name = null; // At the server; null before the first event of a connection.

  /**
   * `send(method, path, parameters)` sends a request for it, and `onError(error)` hears why one failed.
   * `onLate(error)` hears why there is no newer version.
   */
  constructor(query, onWindow, { send, onError, onLate }) {
    this.query = query;
    this.onWindow = onWindow;
    this.send = send;
    this.onError = onError;
    this.onLate = onLate;
    /** The lines of now; null before the first event. */
    this.lines = null;
    /**
     * What is shown, or was asked for: `from`, `count` and perhaps the `key` of a row in the middle; or one `row`; or
     * the number of the `largest` sections.
     */
    this.range = null;
  }

  /** Begins anew, with a connection to which the range is known or will be sent. */
  restart() {
    this.#name = null;
    this.#moves = { made: 0, sent: 0, shown: 0, onTheirWay: 0 };
  }

  /** Asks for it in a stream that is there already. */
  async open(name) {
    const moves = this.#moves;
    try {
      await this.send("PUT", name, this.query(this.range));
    } catch (error) {
      if (moves === this.#moves) this.onError(error);
    }
  }

  move(range) {
    this.range = range;
    this.#moves.made += 1;
    this.#sendMove();
  }

  /** Whether what is in `range` has not come yet. */
  get isMoving() {
    return this.#name === null || this.#moves.shown < this.#moves.made;
  }

  async #sendMove() {
    const [moves, name] = [this.#moves, this.#name];
    if (name === null || moves.sent === moves.made || moves.onTheirWay >= mostMoves) return;
    moves.sent = moves.made;
    moves.onTheirWay += 1;
    try {
      await this.send("POST", name, new URLSearchParams({ ...this.range, move: moves.sent }));
    } catch (error) {
      if (moves === this.#moves) this.onError(error);
    }
    moves.onTheirWay -= 1;
    if (moves === this.#moves) this.#sendMove();
  }

  /** Takes over an event. Returns whether it fits to the lines: always, if the server keeps to the protocol. */
  receive(event, name, move, data) {
    this.#name = name;
    if (event === "error") {
      this.onLate(new ServerError(500, data));
      return true;
    }
    const next = event === "window" ? new LineWindow(data) : this.lines?.after(data) ?? null;
    if (next === null) return false;
    this.lines = next;
    this.#moves.shown = move;
    if (this.isMoving) this.#sendMove();
    else if (this.range.from !== undefined) this.range = { from: next.from, count: this.range.count };
    try {
      this.onWindow(next, data.changed ?? {});
    } catch (error) {
      reportError(error); // An error of the page is no end of the connection.
    }
    return true;
  }
}

/** What is told of the file as a part of a stream: what changes in all tables, or that it has changed. */
export class StreamNews {
  #hasCome = false; // Whether there was an event since the connection began.

  /**
   * `kind`: "changes" or "file". `after()` returns the name of the last change or version that is known, or null, and
   * `onNews(news)` receives what comes.
   */
  constructor(kind, after, onNews, send) {
    this.kind = kind;
    this.after = after;
    this.onNews = onNews;
    this.send = send;
  }

  /** What names it in a request. */
  get parameters() {
    const after = this.after();
    return new URLSearchParams({ [this.kind]: "all", ...(after === null ? {} : { after }) });
  }

  /** Whether nothing has come yet. */
  get isMoving() {
    return !this.#hasCome;
  }

  restart() {
    this.#hasCome = false;
  }

  async open(name) {
    // If the stream has ended meanwhile, it is opened in the next one.
    await this.send("PUT", name, this.parameters).catch(() => {});
  }

  receive(event, name, move, news) {
    this.#hasCome = true;
    try {
      this.onNews(news);
    } catch (error) {
      reportError(error);
    }
    return true;
  }
}
