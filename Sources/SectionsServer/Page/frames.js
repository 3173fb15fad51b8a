// What is drawn at most once a frame.

const longestFrame = 500;

/** Runs an action at the next frame, or soon if the page is hidden or there is none. Returns how to cancel that. */
export function nextFrame(action) {
  const hasFrames = typeof document === "object" && !document.hidden;
  const cancel = () => {
    clearTimeout(timer);
    if (hasFrames) cancelAnimationFrame(frame);
  };
  const run = () => {
    cancel();
    action();
  };
  // A page that is hidden before its next frame has none until somebody sees it again.
  const timer = setTimeout(run, hasFrames ? longestFrame : 0);
  const frame = hasFrames ? requestAnimationFrame(run) : null;
  return cancel;
}

/** Renders at most once a frame, with the marks of all versions since the one before. */
export class Frames {
  #window = null;
  #marks = new Map();
  #cancel = null;

  /** `render(window, marks)` receives the newest window, and what happened to its lines. */
  constructor(render) {
    this.render = render;
  }

  add(window, marks) {
    this.#window = window;
    for (const [key, kind] of marks) {
      if (this.#marks.get(key) !== "inserted") this.#marks.set(key, kind);
    }
    this.#cancel ??= nextFrame(() => this.flush());
  }

  /** Renders what waits, with another part of the list if `window` is given. Returns whether something waited. */
  flush(window = this.#window) {
    const marks = this.#marks;
    const isWaiting = this.#cancel !== null;
    this.cancel();
    if (isWaiting) this.render(window, marks);
    return isWaiting;
  }

  cancel() {
    this.#cancel?.();
    [this.#window, this.#marks, this.#cancel] = [null, new Map(), null];
  }
}
