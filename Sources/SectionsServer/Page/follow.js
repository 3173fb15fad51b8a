// The window of one list that is on the screen. All that it shows comes in one stream of events, in order: in its own, or
// in that of another window of the browser. A window that is paused, or that finds no stream, connects only to read:
// until it has its lines.

import { StreamSharing } from "./sharing.js";
import { StreamSlot } from "./slot.js";
import { Subscription } from "./stream.js";
import { Timers } from "./timers.js";

const hiddenTime = 30_000;
// How often a window without a stream of its own reads its lines, and how long it listens then: an error may follow.
const pollTime = 2_000;
const listenTime = 50;
// What a paused window keeps: as many lines as the server gives at once, and as many bytes as it surely gives.
const keptLines = 1_000;
const keptSize = 8_000_000;
const longestWait = 1_000;
const slot = new StreamSlot();
const sharing = new StreamSharing();

export class LiveWindow {
  #count = 120; // The lines that the window should have.
  #onFirst = null; // Receives the first window.
  #isEnded = false;
  #isAway = false; // Nobody has seen the page for some time.
  #hasStream = false;
  #row = null; // The window of the row that is followed; null if there is none.
  #timers = new Timers();

  /**
   * `handlers`: `onMove(window)`: another part of the list; `onChange(window, changed)`: another version;
   * `onState(state, error)`, as of a `Subscription`, and "paused" or "polling". `request` is null for the file without a
   * list: see `ofFile`.
   */
  constructor(request, handlers) {
    this.request = request;
    this.handlers = handlers;
    /** The lines of now; null until there are some. */
    this.current = null;
    this.isPaused = false;
    this.subscription = new Subscription(".", request === null ? null : (more) => request.parameters(more), {
      file: handlers.file,
      onWindow: (window, changed) => this.#receive(window, changed),
      onState: (state, error) => this.#showState(state, error),
      onGone: (isUnknown) => this.#connect(this.subscription.range, !isUnknown),
    }, {}, sharing);
    this.listening = new AbortController();
    document.addEventListener(
      "visibilitychange", () => this.#followVisibility(), { signal: this.listening.signal });
    addEventListener("pagehide", () => this.subscription.close(), { signal: this.listening.signal });
    addEventListener("pageshow", ({ persisted }) => {
      // The user has come back to a page that the browser kept.
      if (persisted && this.#hasAll && !this.isPaused) this.#connect(this.#shown);
    }, { signal: this.listening.signal });
  }

  /** Follows the file while there is no list: see `followNews`. */
  static ofFile(after, onNews) {
    const live = new LiveWindow(null, {
      onState: () => {},
      file: {
        after,
        onNews: (news) => {
          onNews(news);
          if (!live.#hasStream) live.#pollSoon();
        },
      },
    });
    live.#connect({});
    return live;
  }

  /** Whether there is what is shown first. */
  get #hasAll() {
    return this.current !== null || this.request === null;
  }

  /** Follows the list from the lines around a line, or around the row with a key. `onFirst(window)` receives them. */
  load(line, key, onFirst) {
    this.#onFirst = onFirst;
    this.#connect({ from: Math.max(0, line - Math.floor(this.#count / 3)), count: this.#count, key });
  }

  /** Follows the list from a window that the page came with. */
  start(window, onFirst) {
    this.current = window;
    onFirst(window);
    this.#connect({ from: window.from, count: this.#count });
  }

  end() {
    this.#isEnded = true;
    this.#timers.cancel("hidden");
    this.listening.abort();
    this.#disconnect();
  }

  /**
   * Keeps the rows as they are, or continues. A paused window reads nothing: it would be of another version. So it gets
   * more lines before, around the `line` that is shown.
   */
  pause(isPaused, line = 0) {
    this.isPaused = isPaused;
    this.#timers.cancel("pause");
    if (this.current === null) return;
    if (!isPaused) {
      this.#connect(this.#shown);
    } else if (this.#hasAllToKeep) {
      this.#beginPause();
    } else {
      this.#ask({ from: Math.max(0, line - keptLines / 2), count: keptLines });
      this.#timers.later("pause", longestWait, () => this.#beginPause());
    }
  }

  /** Whether the window has what it keeps while it is paused, or could not get more. */
  get #hasAllToKeep() {
    const { items, lines } = this.current;
    if (items.length >= Math.min(lines, keptLines)) return true;
    return JSON.stringify(items.map(({ row }) => row ?? null), textOfInteger).length * keptLines
      > keptSize * items.length;
  }

  #beginPause() {
    this.#timers.cancel("pause");
    this.#disconnect();
    slot.release();
    this.handlers.onState("paused", null);
  }

  /** Asks for the lines around those on the screen, if there are too few. */
  fillIfNeeded(first, last) {
    if (this.current === null || this.isPaused) return;
    const screen = last - first + 1;
    this.#count = Math.min(500, Math.max(120, screen * 4));
    const slack = Math.floor(screen / 2);
    const { from, count } = this.#expected;
    const isShort = first - slack < from && from > 0;
    const endsEarly = last + slack >= from + count && from + count < this.current.lines;
    if (!isShort && !endsEarly) return;
    this.#ask({ from: Math.max(0, Math.floor((first + last - this.#count) / 2)), count: this.#count });
  }

  #ask(range) {
    if (this.subscription.isOpen) this.subscription.move(range);
    else this.#connect(range);
  }

  /**
   * Follows a row, wherever it is in the list, in place of the one before; none if `key` is null. `onRow(item)`
   * receives it, or null if it is not in the list.
   */
  followRow(key, onRow = () => {}) {
    if (key === null) {
      this.#row?.close();
      this.#row = null;
      return;
    }
    const range = { row: key };
    if (this.#row === null) {
      this.#row = this.subscription.beside(range, (window) => {
        if (!this.#row?.isMoving) this.#row?.onRow(window.items[0] ?? null);
      });
    } else if (this.#row.range.row !== key) {
      this.#row.move(range);
    }
    this.#row.onRow = onRow;
  }

  /** Follows another list beside this one: see `beside` of a `Subscription`. */
  followList(request, range, onWindow, onError) {
    return this.subscription.beside(range, onWindow, onError, (more) => request.parameters(more));
  }

  /** Follows the file: see `news` of a `Subscription`. */
  followNews(kind, after, onNews) {
    return this.subscription.news(kind, after, onNews);
  }

  /** Whether the row that is followed has come: not if the window has no stream of its own. */
  get hasRow() {
    return this.#hasStream && this.#row !== null && !this.#row.isMoving;
  }

  get #shown() {
    return this.current === null ? {} : { from: this.current.from, count: this.#count };
  }

  /** The lines that the window has, or will have when those have come that were asked for. */
  get #expected() {
    const { isOpen, isMoving, range } = this.subscription;
    return isOpen && isMoving ? range : { from: this.current.from, count: this.current.items.length };
  }

  /**
   * Connects: until it is closed, if this window may have a stream or finds one, else until it has lines. `mayFind`:
   * whether it looks for one of another window.
   */
  async #connect(range, mayFind = true) {
    this.#disconnect();
    this.subscription.range = range;
    if (document.hidden) this.#followVisibility(); // A tab may be opened in the background.
    const mayStream = !this.isPaused && await slot.take();
    const host = mayStream || this.isPaused || !mayFind ? null : await sharing.find();
    this.#hasStream = mayStream || host !== null;
    if (this.isPaused) slot.release();
    if (!this.#isEnded && !this.#isAway && !this.subscription.isOpen) {
      this.subscription.isOffered = mayStream;
      this.subscription.open(this.subscription.range, host);
    }
  }

  #disconnect() {
    this.subscription.close();
    this.#timers.cancel("poll");
  }

  #receive(window, changed) {
    const before = this.current;
    this.current = window;
    const onFirst = this.#onFirst;
    this.#onFirst = null;
    const isSame = window.version === before?.version;
    if (onFirst !== null) onFirst(window);
    else if (isSame) this.handlers.onMove(window);
    else this.handlers.onChange(window, changed);
    if (this.subscription.isMoving) return;
    if (this.isPaused) this.#beginPause();
    else if (!this.#hasStream) this.#pollSoon();
  }

  #pollSoon() {
    this.#timers.later("poll", listenTime, () => this.#pollLater(longestWait));
  }

  /** Connects again later, after all lines have come. Those that are beside the list are waited for some `time`. */
  #pollLater(time) {
    if (this.subscription.isMoving) return; // Until those lines have come.
    if (this.subscription.awaitsLines && time > 0) {
      return this.#timers.later("poll", listenTime, () => this.#pollLater(time - listenTime));
    }
    this.#disconnect();
    this.#timers.later("poll", pollTime, () => this.#connect(this.#shown));
  }

  #showState(state, error) {
    if (state !== "live" || this.#hasStream) this.handlers.onState(state, error);
    else if (!this.isPaused) this.handlers.onState("polling", null);
  }

  /** Releases the connection of a tab that nobody sees. */
  #followVisibility() {
    if (document.hidden) {
      this.#timers.later("hidden", hiddenTime, () => {
        this.#isAway = true;
        this.#disconnect();
        slot.release();
        if (!this.isPaused) this.handlers.onState("connecting", null);
      });
      return;
    }
    this.#timers.cancel("hidden");
    const wasAway = this.#isAway;
    this.#isAway = false;
    if (wasAway && !this.isPaused) this.#connect(this.subscription.range);
  }
}

/** JSON has no BigInts. */
function textOfInteger(_, value) {
  return typeof value === "bigint" ? String(value) : value;
}
