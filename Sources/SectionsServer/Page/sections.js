// A client of `sections serve`: lists of a database that stay up to date. A module without dependencies,
// which the page itself uses. Another page may import it from the server or have a copy.
//
//     import { live } from "http://127.0.0.1:8080/assets/sections.js";
//
//     const list = live("http://127.0.0.1:8080", { source: "Track", by: "GenreId", sort: "Name" });
//     list.window(0, 60, (window) => {
//       console.log(window.rows, "rows", window.items.map(({ row, header }) => row ?? header));
//     });
//
// `sections serve --allow-origin ORIGIN` lets a page of another origin read the lists.

// The server sends a comment every five seconds. A connection that is silent for longer is late, and then dead.
const lateAfter = 20_000;
const deadAfter = 40_000;
const longestPause = 5_000;
// A browser has six connections to a server. Later moves wait, and the last one counts.
const mostMoves = 2;

/**
 * A list. `parameters` are those of `/api/rows`: `source`, `by`, `sort`, `where` and `columns`; an array
 * stands for a parameter that is repeated. `token` is the server's, if it has one.
 */
export function live(address, parameters, { token = null } = {}) {
  const base = String(address).replace(/\/$/, "");
  const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
  const query = (more) => new URLSearchParams(
    Object.entries({ ...parameters, ...more }).flatMap(([name, value]) =>
      [value].flat().filter((item) => item != null).map((item) => [name, item])));
  return {
    /**
     * Shows `count` lines from a line on, and follows them until `close()` of the result is called.
     * `move(from, count)` of the result shows others; they come after one round trip.
     *
     * `render(window, marks)` receives a `LineWindow` for each version, and what happened to its lines:
     * a map from their keys to "inserted", "updated" or "moved". `onState(state, error)` receives "live",
     * "late" if the server cannot read a newer version or is silent, "reconnecting" and "refused".
     */
    window(from, count, render, onState = () => {}) {
      const subscription = new Subscription(base, query, {
        onWindow: (window, changed) => render(window, window.marks(changed)), onState,
      }, headers);
      subscription.open({ from, count });
      return {
        close: () => subscription.close(),
        move: (from, count) => subscription.move({ from, count }),
      };
    },
    /** Lines of the newest version. */
    async lines(from, count) {
      return new LineWindow(await fetchJSON(`${base}/api/rows`, query({ from, count }), { headers }));
    },
  };
}

/** An answer other than 2xx, with the server's message and next step. */
export class ServerError extends Error {
  constructor(status, body = {}, wait = 0) {
    super(body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.nextStep = body.nextStep ?? "";
    /** Where typed SQL is wrong, as a place in its text; null if that is not known. */
    this.place = body.place ?? null;
    /** Seconds to wait before the next attempt. */
    this.wait = wait;
  }

  /** Whether the same request may succeed later. A query that takes too long (504) would again. */
  get isTemporary() {
    return (this.status >= 500 && this.status !== 504) || this.status === 429 || this.status === 408;
  }

  static async from(response) {
    const body = await response.json().catch(() => ({}));
    const wait = Number(response.headers.get("Retry-After")) || 0;
    return new ServerError(response.status, body.error, wait);
  }
}

/** The server has sent nothing, not even a comment, since a time. */
class SilenceError extends Error {
  constructor(since) {
    super("Nothing has come from the server for some time.");
    this.since = since;
    this.nextStep = "The page connects again by itself.";
  }
}

/** Reads JSON. Integers that a JavaScript number would round become BigInts. */
export function parseExactly(text) {
  return JSON.parse(text, (_, value, context) => {
    const isRounded = typeof value === "number" && Number.isInteger(value)
      && !Number.isSafeInteger(value);
    return isRounded && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context.source) : value;
  });
}

export async function fetchJSON(path, parameters, options = {}) {
  const response = await ask(path, parameters, { ...options, cache: "no-cache" });
  return parseExactly(await response.text());
}

/** Sends a request. Throws a `ServerError` unless the status is 2xx. */
export async function ask(path, parameters, options = {}) {
  // Over unencrypted HTTP, browsers do not say that a request is the page's own: only such a one can have this header.
  const hasSQL = new URLSearchParams(parameters).has("sql");
  const headers = hasSQL ? { ...options.headers, "Sections-SQL": "run" } : options.headers;
  const response = await fetch(`${path}?${parameters}`, { ...options, headers });
  if (!response.ok) throw await ServerError.from(response);
  return response;
}

/** A window of a stream, and the part of its list that it shows or is to show. */
class StreamWindow {
  #moves = { made: 0, sent: 0, shown: 0, onTheirWay: 0 };
  #name = null; // At the server; null before the first event of a connection.

  /** `send(method, path, parameters)` sends a request for it, and `onError(error, isOpening)` hears why one failed. */
  constructor(query, onWindow, { send, onError }) {
    this.query = query;
    this.onWindow = onWindow;
    this.send = send;
    this.onError = onError;
    /** The lines of now; null before the first event. */
    this.lines = null;
    /** What is shown, or was asked for: `from`, `count` and perhaps the `key` of a row in the middle; or one `row`. */
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
    if (event === "error") return true;
    const next = event === "window" ? new LineWindow(data) : this.lines?.after(data) ?? null;
    if (next === null) return false;
    this.lines = next;
    this.#moves.shown = move;
    if (this.isMoving) this.#sendMove();
    else if (this.range.row === undefined) this.range = { from: next.from, count: this.range.count };
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
    }, (error) => this.#fail(error.status === 404 ? null : error));
    this.#windows.set(1, this.main);
  }

  #window(query, onWindow, onError) {
    return new StreamWindow(query, onWindow, { send: this.#send, onError });
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

  /**
   * Opens another window in the stream, and in each later one: a part of the list, or one `row` wherever it is.
   * `onWindow(window, changed)` receives its lines, and `onError(error)` why there are none. Returns the window, with
   * `move(range)`, and `close()`.
   */
  beside(range, onWindow, onError = () => {}) {
    const window = this.#window(this.query, onWindow, onError);
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
    const silence = new Silence((since) => this.onState("late", new SilenceError(since)), end);
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
    if (name === "error" && number === "1") this.#show("late", new ServerError(500, data));
    for (const [number, window] of others) window.open(`${stream}.${number}`);
  }
}

/** Says when nothing has come for some time, and when for so long that the connection must be dead. */
class Silence {
  #timer = null;
  #last = 0;
  #isLate = false;

  constructor(onLate, onDead) {
    this.onLate = onLate;
    this.onDead = onDead;
    this.end();
  }

  /** Something has come. Returns whether that was late. */
  end() {
    const wasLate = this.#isLate;
    this.#isLate = false;
    this.#last = Date.now();
    this.#timer ??= setInterval(() => this.#check(), 1_000);
    return wasLate;
  }

  /** By the clock: while a computer sleeps, no timer runs, but connections end. */
  #check() {
    const time = Date.now() - this.#last;
    if (time >= lateAfter && !this.#isLate) {
      this.#isLate = true;
      this.onLate(new Date(this.#last));
    }
    if (time >= deadAfter) this.onDead();
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.#isLate = false;
  }
}

/** Waits longer after each failed attempt, by chance a little more: clients return one by one. */
function pause(attempt, seconds) {
  const time = Math.max(seconds * 1000, Math.min(longestPause, 250 * 2 ** attempt));
  return new Promise((resolve) => setTimeout(resolve, time * (1 + Math.random() / 4)));
}

/**
 * The server's events at an address: `{name, id, data}` for each. EventSource does not show the status of a refused
 * request, so the stream is read here.
 *
 * `onBytes` is called for all that arrives, comments included.
 */
async function* serverEvents(address, parameters, { signal, headers }, onBytes) {
  const response = await ask(address, parameters, {
    signal,
    cache: "no-store",
    headers: { ...headers, Accept: "text/event-stream" },
  });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let pieces = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes();
    pieces += decoder.decode(value, { stream: true }).replaceAll("\r", "");
    const blocks = pieces.split("\n\n");
    pieces = blocks.pop();
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== null) yield event;
    }
  }
}

function parseEvent(block) {
  let [name, id] = ["message", ""];
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("id:")) id = line.slice(3).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length === 0 ? null : { name, id, data: parseExactly(data.join("\n")) };
}

/** An item with a key that no other line has: a row's key could be a section's. */
function keyed(item) {
  if (item.header) return { ...item, key: `section ${item.header.key}` };
  return { ...item, key: `row ${item.key}`, rowKey: item.key };
}

/**
 * Lines of a list in one version. An item is `{header}` or `{row}`, as the server sends it, with a `key`. A
 * window does not change: events make a new one.
 */
export class LineWindow {
  /** `body`: what the server sends of a window; `items`: its lines, if they are known already. */
  constructor(body, items = body.window.map(keyed)) {
    this.version = body.version;
    this.lines = body.lines;
    this.rows = body.rows;
    this.sections = body.sections;
    this.columns = body.columns;
    this.totals = body.totals ?? {};
    this.from = body.from;
    this.firstSection = body.section ?? 0;
    this.sticky = body.sticky ?? null;
    this.items = items;
    this.places = new Map(items.map((item, place) => [item.key, place]));
  }

  get end() {
    return this.from + this.items.length;
  }

  /** The item of a line, or null if the window does not reach it. */
  item(line) {
    return this.items[line - this.from] ?? null;
  }

  /** The line of an item with a key, or null if the window has none. */
  line(key) {
    const place = this.places.get(key);
    return place === undefined ? null : this.from + place;
  }

  /** The window after an event `changes`; null if the event does not fit to it. */
  after(changes) {
    const items = [];
    for (const part of changes.patch) {
      if (!Array.isArray(part)) {
        items.push(keyed(part));
        continue;
      }
      const [line, count] = part;
      const kept = this.items.slice(Math.max(0, line - this.from), line - this.from + count);
      if (kept.length !== count) return null;
      items.push(...kept);
    }
    const { columns, totals } = this;
    return new LineWindow({ columns, totals, ...changes }, items);
  }

  /** What a change did to lines of this window: "inserted", "updated" or "moved" for their keys. */
  marks(changed) {
    return new Map(["inserted", "updated", "moved"].flatMap((kind) =>
      (changed[kind] ?? []).filter((line) => this.item(line) !== null)
        .map((line) => [this.item(line).key, kind])));
  }
}
