// The windows of one stream of events: what they show, where they move, and connecting again.

import { ask, ServerError } from "./answers.js";
import { pause, serverEvents, Silence } from "./events.js";
import { LineWindow } from "./lines.js";

// A browser has six connections to a server. Later moves wait, and the last one counts.
const mostMoves = 2;

/** A window of a stream, and the part of its list that it shows or is to show. */
class StreamWindow {
  #moves = { made: 0, sent: 0, shown: 0, onTheirWay: 0 };
  #name = null; // At the server; null before the first event of a connection.

  /**
   * `send(method, path, parameters)` sends a request for it, and `onError(error, isOpening)` hears why one failed.
   * `onLate(error)` hears why there is no newer version.
   */
  constructor(query, onWindow, { send, onError, onLate = () => {} }) {
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
      if (moves === this.#moves) this.onError(error, true);
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
      if (moves === this.#moves) this.onError(error, false);
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

/** What changes in all tables, as a part of a stream. */
class StreamLog {
  /** `after()` returns the name of the last change that is known, or null; `onNews(news)` receives what comes. */
  constructor(after, onNews, send) {
    this.after = after;
    this.onNews = onNews;
    this.send = send;
  }

  restart() {}

  async open(name) {
    const after = this.after();
    const parameters = new URLSearchParams({ changes: "all", ...(after === null ? {} : { after }) });
    // If the stream has ended meanwhile, it is opened in the next one.
    await this.send("PUT", name, parameters).catch(() => {});
  }

  receive(event, name, move, news) {
    if (event === "log") this.onNews(news);
    return true;
  }
}

/**
 * A window, and the stream of all that it shows: first all of its lines, then what changes, and the lines of a move
 * between the changes. It connects again when the stream ends. Other windows may be beside it in the stream.
 */
export class Subscription {
  #stop = null;
  #connection = null;
  #problem = null; // Why the connection was ended here.
  #name = null; // The server's name of the stream; null before the first event of a connection.
  #windows = new Map(); // By their numbers. The first has number 1.
  #lastNumber = 1;
  #state = ["connecting", null]; // The last state but for silence.

  /**
   * `query(more)`: the parameters of the list with others. `onWindow(window, changed)` receives each version and each
   * move, and `onState(state, error)` one of "live", "late", "reconnecting" and "refused".
   */
  constructor(base, query, { onWindow, onState }, headers = {}) {
    this.base = base;
    this.query = query;
    this.onState = onState;
    this.headers = headers;
    // Its window is of a connection that is gone, or of another server behind the same proxy: a new one begins there.
    this.main = this.#window(query, (window, changed) => {
      this.#show("live", null);
      onWindow(window, changed);
    }, (error) => this.#fail(error.status === 404 ? null : error), (error) => this.#show("late", error));
    this.#windows.set(1, this.main);
  }

  #window(query, onWindow, onError, onLate) {
    return new StreamWindow(query, onWindow, { send: this.#send, onError, onLate });
  }

  /** Sends a request for a window. */
  #send = async (method, name, parameters) => {
    const options = { method, headers: this.headers, signal: this.#stop?.signal };
    await ask(`${this.base}/api/windows/${name}`, parameters, options);
  };

  /** The part of the list that is shown, or was asked for. */
  get range() {
    return this.main.range;
  }

  set range(range) {
    this.main.range = range;
  }

  /** Connects, in place of the connection before. */
  open(range = this.range) {
    this.close();
    this.range = range;
    this.#stop = new AbortController();
    this.#run(this.#stop.signal);
  }

  get isOpen() {
    return this.#stop !== null;
  }

  close() {
    this.#stop?.abort();
    this.#stop = null;
    this.#restart();
  }

  #restart() {
    this.#name = null;
    for (const window of this.#windows.values()) window.restart();
  }

  /** Shows another part of the list, once its lines have come. */
  move(range) {
    this.main.move(range);
  }

  /** Whether the lines of `range` have not come yet. */
  get isMoving() {
    return this.main.isMoving;
  }

  /** Whether the lines of a window in the stream have not come yet. */
  get awaitsLines() {
    return [...this.#windows.values()].some(({ isMoving }) => isMoving);
  }

  /**
   * Opens another window in the stream, and in each later one: a part of the list, one `row` wherever it is, or the
   * `largest` sections. `query(more)` has the parameters of another list. `onWindow(window, changed)` receives its lines,
   * and `onError(error)` why there are none, or none of the newest version. Returns the window, with `move(range)`, and
   * `close()`.
   */
  beside(range, onWindow, onError = () => {}, query = this.query) {
    const window = this.#window(query, onWindow, onError, onError);
    window.range = range;
    return this.#add(window);
  }

  /**
   * Follows what changes in all tables, in this stream and in each later one. `after()` returns the name of the last change
   * that is known, or null; `onNews(news)` receives what comes. The result has `close()`.
   */
  log(after, onNews) {
    return this.#add(new StreamLog(after, onNews, this.#send));
  }

  #add(window) {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#windows.set(number, window);
    if (this.#name !== null) window.open(`${this.#name}.${number}`);
    window.close = () => {
      this.#windows.delete(number);
      if (this.#name !== null) window.send("DELETE", `${this.#name}.${number}`, "").catch(() => {});
    };
    return window;
  }

  async #run(signal) {
    for (let attempt = 0; !signal.aborted; attempt++) {
      let problem = null;
      try {
        await this.#listen(signal, () => (attempt = 0));
      } catch (error) {
        problem = error.name === "AbortError" ? this.#problem : error;
      }
      if (signal.aborted) return;
      if (problem instanceof ServerError && !problem.isTemporary) {
        this.#show("refused", problem);
        return;
      }
      this.#show("reconnecting", problem);
      await pause(attempt, problem?.wait ?? 0);
    }
  }

  /** Ends the connection, because of an error or to begin a new one. */
  #fail(error) {
    this.#problem = error;
    this.#connection?.abort();
  }

  #show(state, error) {
    this.#state = [state, error];
    this.onState(state, error);
  }

  /** Receives events until the connection ends. */
  async #listen(signal, onConnect) {
    const connection = new AbortController();
    const end = () => connection.abort();
    signal.addEventListener("abort", end);
    this.#connection = connection;
    this.#problem = null;
    this.#restart();
    const silence = new Silence((error) => this.onState("late", error), end);
    const touch = () => {
      if (silence.end()) this.onState(...this.#state);
    };
    const options = { signal: connection.signal, headers: this.headers };
    const address = `${this.base}/api/events`;
    try {
      for await (const event of serverEvents(address, this.query(this.range), options, touch)) {
        if (signal.aborted) return;
        onConnect();
        this.#receive(event);
      }
    } finally {
      silence.stop();
      signal.removeEventListener("abort", end);
      connection.abort();
    }
  }

  #receive({ name, id, data }) {
    const [window, move] = id.split(" ");
    const [stream, number] = window.split(".");
    const others = this.#name === null ? [...this.#windows].slice(1) : [];
    this.#name = stream;
    const isKnown = this.#windows.get(Number(number))?.receive(name, window, Number(move), data) ?? true;
    if (!isKnown) this.#fail(null);
    for (const [number, window] of others) window.open(`${stream}.${number}`);
  }
}
