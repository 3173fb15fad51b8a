// The stream of events of the window that the page shows. It connects again when it ends.

import { serverEvents, ServerError } from "./api.js";

// The server sends a comment every 15 seconds: a connection that is silent for longer is dead.
const silence = 40_000;
const longestPause = 5_000;

export class Subscription {
  #stop = null;

  /**
   * `address()` is asked before each attempt. `onEvent(name, data)` receives the events, and
   * `onState(state, error)` one of "connecting", "live", "reconnecting" and "refused".
   */
  constructor(address, onEvent, onState) {
    this.address = address;
    this.onEvent = onEvent;
    this.onState = onState;
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
    try {
      for await (const { name, data } of serverEvents(this.address(), connection.signal, touch)) {
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
