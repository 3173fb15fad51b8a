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

// The server sends a comment every 15 seconds: a connection that is silent for longer is dead.
const silence = 40_000;
const longestPause = 5_000;

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
     *
     * `render(window, marks)` receives a `LineWindow` for each version, and what happened to its lines:
     * a map from their keys to "inserted", "updated" or "moved". `onState(state, error)` receives "live",
     * "late" if the server cannot read a newer version, "reconnecting" and "refused".
     */
    window(from, count, render, onState = () => {}) {
      let window = null;
      const subscription = new Subscription(
        () => `${base}/api/events?${query(window?.range(count) ?? { from, count })}`,
        (name, data) => {
          if (name === "error") return onState("late", new ServerError(500, data));
          const next = window?.after(name, data) ?? (name === "changes" ? null : new LineWindow(data));
          window = next;
          if (next === null) return subscription.open(); // Without a version: the answer has all lines.
          onState("live", null);
          return render(next, next.marks(data.changed ?? {}));
        },
        onState, headers);
      subscription.open();
      return { close: () => subscription.close() };
    },
    /** Lines of the newest version, or of one that is still held. */
    async lines(from, count, version = null) {
      const range = query({ from, count, version });
      return new LineWindow(await fetchJSON(`${base}/api/rows`, range, { headers }));
    },
  };
}

/** An answer other than 2xx, with the server's message and next step. */
export class ServerError extends Error {
  constructor(status, body = {}, wait = 0) {
    super(body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.nextStep = body.nextStep ?? "";
    /** Seconds to wait before the next attempt. */
    this.wait = wait;
  }

  /** Whether the same request may succeed later. */
  get isTemporary() {
    return this.status >= 500 || this.status === 429 || this.status === 408;
  }

  static async from(response) {
    const body = await response.json().catch(() => ({}));
    const wait = Number(response.headers.get("Retry-After")) || 0;
    return new ServerError(response.status, body.error, wait);
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
  const response = await fetch(`${path}?${parameters}`, { ...options, cache: "no-cache" });
  if (!response.ok) throw await ServerError.from(response);
  return parseExactly(await response.text());
}

/** The stream of events of a window. It connects again when it ends. */
export class Subscription {
  #stop = null;

  /**
   * `address()` is asked before each attempt. `onEvent(name, data)` receives the events, and
   * `onState(state, error)` one of "live", "reconnecting" and "refused".
   */
  constructor(address, onEvent, onState, headers = {}) {
    this.address = address;
    this.onEvent = onEvent;
    this.onState = onState;
    this.headers = headers;
  }

  /** Connects with the address of now, in place of the connection before. */
  open() {
    this.close();
    this.#stop = new AbortController();
    this.#run(this.#stop.signal);
  }

  get isOpen() {
    return this.#stop !== null;
  }

  close() {
    this.#stop?.abort();
    this.#stop = null;
  }

  async #run(signal) {
    for (let attempt = 0; !signal.aborted; attempt++) {
      let problem = null;
      try {
        await this.#listen(signal, () => (attempt = 0));
      } catch (error) {
        problem = error;
      }
      if (signal.aborted) return;
      if (problem instanceof ServerError && !problem.isTemporary) {
        this.onState("refused", problem);
        return;
      }
      this.onState("reconnecting", problem);
      await pause(attempt, problem?.wait ?? 0);
    }
  }

  /** An error of the page is no end of the connection. */
  #deliver(name, data) {
    try {
      this.onEvent(name, data);
    } catch (error) {
      reportError(error);
    }
  }

  /** Receives events until the connection ends. */
  async #listen(signal, onConnect) {
    const connection = new AbortController();
    const end = () => connection.abort();
    signal.addEventListener("abort", end);
    let timer = setTimeout(end, silence);
    const touch = () => {
      clearTimeout(timer);
      timer = setTimeout(end, silence);
    };
    const options = { signal: connection.signal, headers: this.headers };
    try {
      for await (const { name, data } of serverEvents(this.address(), options, touch)) {
        if (signal.aborted) return;
        onConnect();
        if (name === "open") this.onState("live", null);
        else this.#deliver(name, data);
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      connection.abort();
    }
  }
}

/** Waits longer after each failed attempt, by chance a little more: clients return one by one. */
function pause(attempt, seconds) {
  const time = Math.max(seconds * 1000, Math.min(longestPause, 250 * 2 ** attempt));
  return new Promise((resolve) => setTimeout(resolve, time * (1 + Math.random() / 4)));
}

/**
 * The server's events at an address: first `{name: "open"}`, then `{name, data}` for each.
 * EventSource does not show the status of a refused request, so the stream is read here.
 *
 * `onBytes` is called for all that arrives, comments included.
 */
async function* serverEvents(address, { signal, headers }, onBytes) {
  const response = await fetch(address, {
    signal,
    cache: "no-store",
    headers: { ...headers, Accept: "text/event-stream" },
  });
  if (!response.ok) throw await ServerError.from(response);
  yield { name: "open" };
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
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length === 0 ? null : { name, data: parseExactly(data.join("\n")) };
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

  /** The parameters of the events that follow this window, which should have `count` lines. */
  range(count) {
    // A patch names the lines of the window that the client has: the server must know its length.
    const held = this.end < this.lines ? this.items.length : count;
    return { from: this.from, count: held, version: this.version };
  }

  /** The window after an event; null if the event does not fit to it, so that it must be asked for again. */
  after(name, changes) {
    if (name !== "changes") return new LineWindow(changes);
    if (changes.since !== this.version) return null;
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
