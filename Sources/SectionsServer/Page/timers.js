// Actions that run after a time, each known by a name.

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
