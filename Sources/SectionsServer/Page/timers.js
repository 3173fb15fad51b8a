// Actions that run after a time.

/** Actions that are each known by a name. */
export class Timers {
  #timers = new Map();

  /** Runs an action once after a time, unless one of the same name waits already. */
  soon(name, time, action) {
    if (this.#timers.has(name)) return;
    this.#timers.set(name, setTimeout(() => {
      this.#timers.delete(name);
      action();
    }, time));
  }

  /** Runs an action once after a time, in place of one of the same name that waits. */
  later(name, time, action) {
    this.cancel(name);
    this.soon(name, time, action);
  }

  /** Whether an action of that name waits. */
  waits(name) {
    return this.#timers.has(name);
  }

  cancel(name) {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }
}

const restFactor = 5; // An action rests for so many times as long as it took.

/** An action that is asked for often, such as reading something again: it runs at once, and then rests for a time. */
export class Throttle {
  #timer = null;
  #isRunning = false;
  #isAsked = false;
  #start = 0; // When the action may run again.

  /** `action()` may be asynchronous. `shortest`: the milliseconds that it rests at least. */
  constructor(shortest, action) {
    this.shortest = shortest;
    this.action = action;
  }

  /** Runs the action as soon as it may run. */
  ask() {
    this.#isAsked = true;
    if (this.#isRunning) return;
    this.#timer ??= setTimeout(() => this.#run(), Math.max(0, this.#start - performance.now()));
  }

  async #run() {
    this.#timer = null;
    this.#isAsked = false;
    this.#isRunning = true;
    const start = performance.now();
    try {
      await this.action();
    } finally {
      const end = performance.now();
      this.#start = end + Math.max(this.shortest, restFactor * (end - start));
      this.#isRunning = false;
      if (this.#isAsked) this.ask();
    }
  }
}
