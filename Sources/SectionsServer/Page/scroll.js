// The place in the list, in pixels from its start. A browser limits the height of an element (to
// 16 million pixels or more): the track of a longer list is shorter than the list. There a short
// way of the scroll bar moves the list by the same way, and a long one by its share of the list.

const longestTrack = 4_000_000;
const idle = 150;

export class ScrollPlace {
  #native = 0;
  #timer = null;
  #scrolledAt = 0;

  constructor(scroller, track, onSettle) {
    this.scroller = scroller;
    this.track = track;
    this.onSettle = onSettle;
    this.lineHeight = 32;
    this.headHeight = 0;
    this.lines = 0;
    /** The pixels of the list above what is visible. */
    this.top = 0;
  }

  get height() {
    return this.lines * this.lineHeight;
  }

  get viewHeight() {
    return Math.max(0, this.scroller.clientHeight - this.headHeight);
  }

  get lastTop() {
    return Math.max(0, this.height - this.viewHeight);
  }

  get isAtStart() {
    return this.top < 1;
  }

  get isAtEnd() {
    return this.top > this.lastTop - 1;
  }

  /** Where a line's element goes in the track. */
  y(line) {
    return line * this.lineHeight - this.top + this.#native;
  }

  setLines(lines) {
    this.lines = lines;
    this.track.style.height = `${Math.min(this.height, longestTrack)}px`;
  }

  /** Moves to a place; the scroll bar follows at once, or once the user stopped to scroll. */
  moveTo(top) {
    this.top = Math.min(Math.max(0, top), this.lastTop);
    if (performance.now() - this.#scrolledAt > idle) this.#alignScrollBar();
  }

  /** Called for each scroll event. */
  followScrollBar() {
    const native = this.scroller.scrollTop;
    const way = native - this.#native;
    if (way === 0) return;
    this.#native = native;
    this.top = this.#place(native, way);
    this.#scrolledAt = performance.now();
    this.scroller.classList.add("scrolling");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#settle(), idle);
  }

  #place(native, way) {
    const longest = this.#longestScroll;
    if (native <= 0) return 0;
    if (native >= longest - 1) return this.lastTop;
    if (Math.abs(way) > 2 * this.viewHeight) return (native / longest) * this.lastTop;
    return Math.min(Math.max(0, this.top + way), this.lastTop);
  }

  get #longestScroll() {
    return Math.max(0, Math.min(this.height, longestTrack) - this.viewHeight);
  }

  #settle() {
    this.#scrolledAt = 0;
    this.scroller.classList.remove("scrolling");
    this.#alignScrollBar();
    this.onSettle();
  }

  #alignScrollBar() {
    const share = this.lastTop === 0 ? 0 : this.top / this.lastTop;
    this.scroller.scrollTop = share * this.#longestScroll;
    this.#native = this.scroller.scrollTop;
  }
}
