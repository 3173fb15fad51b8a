// Streams of events for windows of the browser that have none of their own: a browser has six connections to a server,
// for all of its windows. One that has a stream offers it, the others open their windows in it, and get their events by
// a channel.

import { locked } from "./slot.js";

const answerTime = 300;
const touchTime = 1_000;
const numbersOfGuest = 1_000;

/** The name of the lock that a window holds as long as it offers a stream. */
function lockName(stream) {
  return `sections stream ${stream}`;
}

export class StreamSharing {
  #stream = null; // The stream that is offered.
  #release = null;
  #lastTouch = 0;

  constructor() {
    // Another server may be below another path of the same site.
    this.channel = new BroadcastChannel(`sections ${location.pathname}`);
    this.channel.addEventListener("message", ({ data }) => {
      if (data.asks && this.#stream !== null) this.#post({ offers: true });
    });
  }

  #post(message) {
    this.channel.postMessage({ stream: this.#stream, ...message });
  }

  /** Offers a stream of this window. */
  async offer(stream) {
    this.withdraw();
    const release = navigator.locks ? await locked(lockName(stream)) : null;
    if (release === null) return;
    this.withdraw();
    [this.#stream, this.#release] = [stream, release];
  }

  /** No longer offers it: it has ended. */
  withdraw() {
    this.#release?.();
    [this.#stream, this.#release] = [null, null];
  }

  /** Passes on an event of a window that another window of the browser has opened. */
  forward(event) {
    if (this.#stream !== null) this.#post({ event });
  }

  /** Tells the others that the server is not silent. */
  touch() {
    if (this.#stream === null || Date.now() - this.#lastTouch < touchTime) return;
    this.#lastTouch = Date.now();
    this.#post({ touch: true });
  }

  /** The stream of another window; null if none is offered. */
  find() {
    return new Promise((resolve) => {
      const end = (host) => {
        clearTimeout(timer);
        this.channel.removeEventListener("message", receive);
        resolve(host);
      };
      const receive = ({ data }) => data.offers && end(new StreamHost(this.channel, data.stream));
      const timer = setTimeout(() => end(null), answerTime);
      this.channel.addEventListener("message", receive);
      this.#post({ asks: true });
    });
  }
}

/** The stream of another window of the browser, which has windows of this one beside its own. */
class StreamHost {
  constructor(channel, stream) {
    this.channel = channel;
    this.stream = stream;
    /** What the numbers of this one's windows begin after. */
    this.offset = numbersOfGuest * (1 + Math.floor(Math.random() * 1e6));
    /** Whether the stream has ended. */
    this.isGone = false;
  }

  #isOurs({ id }) {
    const number = Number(id.split(" ")[0].split(".")[1]);
    return number > this.offset && number <= this.offset + numbersOfGuest;
  }

  /**
   * The events of this one's windows, until the stream ends. `open(stream)` opens the first window in it, and `onBytes` is
   * called when something has come from the server.
   */
  async *events(open, signal, onBytes) {
    const events = [];
    let isOver = false;
    let wake = () => {};
    const end = () => {
      isOver = true;
      wake();
    };
    const receive = ({ data }) => {
      if (data.stream !== this.stream) return;
      onBytes();
      if (data.event && this.#isOurs(data.event)) events.push(data.event);
      wake();
    };
    const watching = new AbortController();
    this.channel.addEventListener("message", receive);
    signal.addEventListener("abort", end);
    // The other window has it until its stream ends, or until it is closed.
    navigator.locks.request(lockName(this.stream), { signal: watching.signal }, () => {
      this.isGone = true;
      end();
    }).catch(() => {});
    try {
      await open(this.stream);
      for (;;) {
        while (events.length > 0) yield events.shift();
        if (isOver) return;
        await new Promise((resolve) => { wake = resolve; });
      }
    } finally {
      this.channel.removeEventListener("message", receive);
      signal.removeEventListener("abort", end);
      watching.abort();
    }
  }
}
