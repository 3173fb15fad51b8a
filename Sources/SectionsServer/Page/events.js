// A stream of server-sent events: reading it, and noticing that nothing comes.

import { ask, parseExactly } from "./answers.js";

// The server sends a comment every five seconds. A connection that is silent for longer is late, and then dead.
const lateAfter = 20_000;
const deadAfter = 40_000;
const longestPause = 5_000;

/** The server has sent nothing, not even a comment, since a time. */
class SilenceError extends Error {
  constructor(since) {
    super("Nothing has come from the server for some time.");
    this.since = since;
    this.nextStep = "The page connects again by itself.";
  }
}

/** Says when nothing has come for some time, and when for so long that the connection must be dead. */
export class Silence {
  #timer = null;
  #last = 0;
  #isLate = false;

  constructor(onLate, onDead) {
    this.onLate = (since) => onLate(new SilenceError(since));
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
export function pause(attempt, seconds) {
  const time = Math.max(seconds * 1000, Math.min(longestPause, 250 * 2 ** attempt));
  return new Promise((resolve) => setTimeout(resolve, time * (1 + Math.random() / 4)));
}

/**
 * The server's events at an address: `{name, id, data}` for each. EventSource does not show the status of a refused
 * request, so the stream is read here.
 *
 * `onBytes` is called for all that arrives, comments included.
 */
export async function* serverEvents(address, parameters, { signal, headers }, onBytes) {
  const response = await ask(address, parameters, {
    signal,
    cache: "no-store",
    headers: { ...headers, Accept: "text/event-stream" },
  });
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let pieces = []; // Of an event whose end has not come. To look for it in all of them each time would take long.
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes();
    const piece = decoder.decode(value, { stream: true });
    // The end may be divided between two pieces.
    const hasEnd = ((pieces.at(-1)?.at(-1) ?? "") + piece).includes("\n\n");
    if (piece !== "") pieces.push(piece);
    if (!hasEnd) continue;
    const blocks = pieces.join("").split("\n\n");
    pieces = [blocks.pop()];
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
