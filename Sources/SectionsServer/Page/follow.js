// The window of one list that is on the screen: read where the user scrolls to, and kept up to date by events.

import { fetchJSON, LineWindow, ServerError, Subscription } from "./sections.js";
import { StreamSlot } from "./slot.js";
import { Timers } from "./timers.js";

const hiddenTime = 30_000;
// How often a window without a stream asks for changes, and how long it listens then.
const pollTime = 2_000;
const listenTime = 50;
const slot = new StreamSlot();

export class LiveWindow {
  #count = 120; // The lines that the window should have.
  #isEnded = false;
  #isFilling = false;
  #isStreaming = false;
  #timers = new Timers();

  /**
   * `handlers`: `visible()` returns the first and the last line on the screen. `onMove(window)`: another part of
   * the list; `onChange(window, changed)`: another version; `onLost()`: the list must be loaded again;
   * `onState(state, error)`, as of a `Subscription`, and "paused" or "polling".
   */
  constructor(request, handlers) {
    this.request = request;
    this.handlers = handlers;
    /** The lines of now; null until there are some. */
    this.current = null;
    this.isPaused = false;
    this.subscription = new Subscription(
      () => `/api/events?${request.parameters(this.current.range(this.#count))}`,
      (name, data) => this.#receive(name, data),
      (state, error) => this.#showState(state, error));
    this.listening = new AbortController();
    document.addEventListener(
      "visibilitychange", () => this.#followVisibility(), { signal: this.listening.signal });
  }

  /** Reads the lines around a line, or around the row with a key. Returns null if they are refused or too late. */
  load(line, row) {
    return this.#fetch(Math.max(0, line - Math.floor(this.#count / 3)), null, row);
  }

  /** Follows the list from a window on. */
  start(window) {
    this.current = window;
    this.pause(this.isPaused);
    if (document.hidden) this.#followVisibility(); // A tab may be opened in the background.
  }

  end() {
    this.#isEnded = true;
    this.#timers.cancel("hidden");
    this.listening.abort();
    this.#disconnect();
  }

  /** Keeps the rows as they are, or continues. What is read meanwhile is of the newest version. */
  pause(isPaused) {
    this.isPaused = isPaused;
    if (this.current === null) return;
    this.#disconnect();
    if (isPaused) {
      slot.release();
      this.handlers.onState("paused", null);
    } else {
      this.#subscribe();
    }
  }

  /** Reads more lines, if there are too few around those on the screen. */
  fillIfNeeded(first, last) {
    const window = this.current;
    if (window === null) return;
    const screen = last - first + 1;
    this.#count = Math.min(500, Math.max(120, screen * 4));
    const slack = Math.floor(screen / 2);
    const isShort = first - slack < window.from && window.from > 0;
    const endsEarly = last + slack >= window.end && window.end < window.lines;
    if (isShort || endsEarly) this.#fill();
  }

  /** Asks for the window around what is visible, until it is there. One request runs at a time. */
  async #fill() {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      for (;;) {
        const { version } = this.current;
        const from = this.#start;
        const window = await this.#fetch(from, version);
        if (window === null) return;
        if (this.current.version !== version) continue; // A change came in between.
        this.#adopt(window);
        if (from === this.#start || this.#coversVisible) return;
      }
    } finally {
      this.#isFilling = false;
    }
  }

  get #start() {
    const { first, last } = this.handlers.visible();
    return Math.max(0, Math.floor((first + last - this.#count) / 2));
  }

  get #coversVisible() {
    const { first, last } = this.handlers.visible();
    return first >= this.current.from && last < this.current.end;
  }

  #adopt(window) {
    this.#disconnect();
    const isSame = window.version === this.current.version;
    this.current = window;
    // If the version was no longer held, this is a newer one: what is visible keeps its place.
    if (isSame) this.handlers.onMove(window);
    else this.handlers.onChange(window, {});
    if (!isSame && this.isPaused) this.handlers.onState("paused", null);
    this.#timers.later("subscribe", 150, () => this.#subscribe());
  }

  /**
   * A window, of a version or, if that is null or gone, of now; null after an error. It is around the row with a
   * key, if there is one.
   */
  async #fetch(from, version, key = null) {
    let hadProblem = false;
    while (!this.#isEnded) {
      try {
        const range = this.request.parameters({ from, count: this.#count, version, key });
        const window = new LineWindow(await fetchJSON("/api/rows", range));
        if (this.#isEnded) return null;
        // Nothing else says that the problem is over: there is no connection.
        if (hadProblem && this.isPaused) this.handlers.onState("paused", null);
        return window;
      } catch (error) {
        if (this.#isEnded) return null;
        if (error.status === 410 && version !== null) version = null;
        else if (error.status === 404 && key !== null) key = null;
        else if (error instanceof ServerError && !error.isTemporary) {
          this.handlers.onState("refused", error);
          return null;
        } else {
          hadProblem = true;
          this.handlers.onState("reconnecting", error);
          await new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(10, error.wait || 1)));
        }
      }
    }
    return null;
  }

  /** Connects: until it is closed, if this window may have a stream, else for a moment again and again. */
  async #subscribe() {
    this.#isStreaming = await slot.take();
    if (this.isPaused) slot.release();
    else if (!this.#isEnded) this.subscription.open();
  }

  #disconnect() {
    this.subscription.close();
    this.#timers.cancel("subscribe");
    this.#timers.cancel("poll");
  }

  #showState(state, error) {
    const isPolling = state === "live" && !this.#isStreaming;
    this.handlers.onState(isPolling ? "polling" : state, error);
    if (!isPolling) return;
    this.#timers.soon("poll", listenTime, () => {
      this.#disconnect();
      this.#timers.later("subscribe", pollTime, () => this.#subscribe());
    });
  }

  #receive(name, data) {
    if (name === "error") return this.#showState("late", new ServerError(500, data));
    const window = this.current.after(name, data);
    if (window === null) return this.handlers.onLost();
    this.#showState("live", null);
    this.current = window;
    return this.handlers.onChange(window, data.changed);
  }

  /** Releases the connection of a tab that nobody sees. */
  #followVisibility() {
    if (document.hidden) {
      this.#timers.later("hidden", hiddenTime, () => {
        this.#disconnect();
        slot.release();
      });
      return;
    }
    this.#timers.cancel("hidden");
    if (this.current !== null && !this.subscription.isOpen) this.#subscribe();
  }
}
