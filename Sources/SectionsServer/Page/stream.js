// One stream of events, with what its windows show, and connecting again.

import { ask, ServerError } from "./answers.js";
import { pause, serverEvents, Silence } from "./events.js";
import { StreamNews, StreamWindow } from "./windows.js";

/**
 * A window, and the stream of all that it shows: first all of its lines, then what changes, and the lines of a move
 * between the changes. It connects again when the stream ends. Other windows may be beside it in the stream.
 */
export class Subscription {
  #stop = null;
  #connection = null;
  #problem = null; // Why the connection was ended here.
  #name = null; // The server's name of the stream; null before the first event of a connection.
  #host = null; // The other window of the browser whose stream it is; null for an own one.
  #windows = new Map(); // By their numbers. The first has number 1.
  #lastNumber = 1;
  #state = ["connecting", null]; // The last state but for silence.

  /**
   * `query(more)`: the parameters of the list with others. `onWindow(window, changed)` receives each version and each
   * move, and `onState(state, error)` one of "live", "late", "reconnecting" and "refused". `sharing` offers the stream to
   * other windows of the browser, if it is given; `onGone(isUnknown)` is called when the stream of another one has ended, or
   * if the server does not know it.
   *
   * In place of a list there may be the file alone: `query` is null then, and `file` has `after()` and `onNews(news)`, as
   * `news` receives them.
   */
  constructor(base, query, { onWindow, onState, onGone = () => {}, file }, headers = {}, sharing = null) {
    this.base = base;
    this.query = query ?? (() => this.main.parameters);
    this.onState = onState;
    this.onGone = onGone;
    this.sharing = sharing;
    /** Whether other windows of the browser may use the stream: not if it will soon be closed. */
    this.isOffered = false;
    this.headers = headers;
    this.main = query === null ? this.#file(file) : this.#list(query, onWindow);
    this.#windows.set(1, this.main);
  }

  #file({ after, onNews }) {
    return new StreamNews("file", after, (news) => {
      this.#show("live", null);
      onNews(news);
    }, this.#send);
  }

  #list(query, onWindow) {
    // Its window is of a connection that is gone, or of another server behind the same proxy: a new one begins there.
    return this.#window(query, (window, changed) => {
      this.#show("live", null);
      onWindow(window, changed);
    }, (error) => this.#fail(error.status === 404 ? null : error), (error) => this.#show("late", error));
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

  /** Connects, in place of the connection before; to the stream of another window of the browser if `host` is given. */
  open(range = this.range, host = null) {
    this.close();
    this.range = range;
    this.#host = host;
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
   * Follows the file, in this stream and in each later one: what changes in all tables ("changes"), or that it has changed
   * ("file"). See `StreamNews`. The result has `close()`.
   */
  news(kind, after, onNews) {
    return this.#add(new StreamNews(kind, after, onNews, this.#send));
  }

  #add(window) {
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#windows.set(number, window);
    if (this.#name !== null) window.open(this.#nameOf(number));
    window.close = () => {
      this.#windows.delete(number);
      if (this.#name !== null) window.send("DELETE", this.#nameOf(number), "").catch(() => {});
    };
    return window;
  }

  /** The server's name of the window with a number. */
  #nameOf(number, stream = this.#name) {
    return `${stream}.${number + (this.#host?.offset ?? 0)}`;
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
      // The stream has just ended, and who offered it does not know that yet. Or there is no such list.
      if (this.#host !== null && problem?.status === 404) return this.onGone(true);
      if (problem instanceof ServerError && !problem.isTemporary) {
        this.#show("refused", problem);
        return;
      }
      if (this.#host !== null) {
        // There may be another stream, or a place for an own one.
        if (problem !== null) await pause(attempt, problem.wait ?? 0);
        if (!signal.aborted) this.onGone(false);
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
      this.sharing?.touch();
    };
    try {
      for await (const event of this.#events(connection.signal, touch)) {
        if (signal.aborted) return;
        onConnect();
        this.#receive(event);
      }
    } finally {
      silence.stop();
      signal.removeEventListener("abort", end);
      connection.abort();
      this.sharing?.withdraw();
    }
  }

  /** The events of the connection: of an own one, or of the windows in the stream of another window of the browser. */
  async *#events(signal, touch) {
    const host = this.#host;
    if (host === null) {
      const options = { signal, headers: this.headers };
      yield* serverEvents(`${this.base}/api/events`, this.query(this.range), options, touch);
      return;
    }
    try {
      yield* host.events((stream) => this.#send("PUT", this.#nameOf(1, stream), this.query(this.range)), signal, touch);
    } finally {
      // Otherwise the server would continue to send their events, for which nobody is there.
      for (const number of host.isGone ? [] : this.#windows.keys()) {
        const address = `${this.base}/api/windows/${host.stream}.${number + host.offset}`;
        fetch(address, { method: "DELETE", headers: this.headers, keepalive: true }).catch(() => {});
      }
    }
  }

  #receive({ name, id, data }) {
    const [window, move] = id.split(" ");
    const [stream, number] = window.split(".");
    const isFirst = this.#name === null;
    const others = isFirst ? [...this.#windows].slice(1) : [];
    this.#name = stream;
    const known = this.#windows.get(Number(number) - (this.#host?.offset ?? 0));
    if (known === undefined) this.sharing?.forward({ name, id, data });
    else if (!known.receive(name, window, Number(move), data)) this.#fail(null);
    for (const [number, window] of others) window.open(this.#nameOf(number));
    if (isFirst && this.isOffered) this.sharing?.offer(stream);
  }
}
