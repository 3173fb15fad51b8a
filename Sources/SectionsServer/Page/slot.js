// A browser has six connections to a server, for all of its windows. Four may be streams of events, so that two are
// left for everything else. The windows share them by locks, which a browser releases when a window closes.

const streams = 4;

export class StreamSlot {
  #release = null;
  #taking = null;

  /** Takes one of the streams if one is free. Returns whether this window has one. */
  async take() {
    // Without HTTPS, only the pages of this machine have locks.
    if (!navigator.locks) return true;
    this.#taking ??= this.#take();
    await this.#taking;
    this.#taking = null;
    return this.#release !== null;
  }

  async #take() {
    for (let number = 0; number < streams && this.#release === null; number++) {
      this.#release = await locked(`sections stream ${number}`);
    }
  }

  release() {
    this.#release?.();
    this.#release = null;
  }
}

/** Takes a lock. Returns the function that releases it, or null if another window has it. */
export function locked(name) {
  return new Promise((resolve) => {
    navigator.locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(null);
      return new Promise((release) => resolve(release));
    });
  });
}
