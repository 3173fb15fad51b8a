// The open row: which one it is, its panel, and what has become of it.

import { fetchJSON } from "./answers.js";
import { Detail } from "./detail.js";
import { LineWindow } from "./lines.js";
import { ListRequest } from "./request.js";
import { Throttle, Timers } from "./timers.js";

const linkTime = 1_000;
const lossTime = 1_000; // The list of all rows may be so much behind the one that is shown.

export class OpenRow {
  /** The key of the row in the address: the open one, or one that will be opened; null if there is none. */
  key = null;
  #isLost = false; // Whether the row is no longer in the list.
  #awaitsRow = false; // Whether the row at the cursor is to be opened when it has come.
  #timers = new Timers();
  #links = new Throttle(linkTime, () => this.detail.readLinks(this.now().live.isPaused));

  /**
   * `now()` returns what is shown: `request`, `live`, `window`, `source` and `sources`. `onGo(request)` is called to show
   * another list, `onKey()` after another row was opened or closed, and `onSay(text)` to tell it.
   */
  constructor(root, grid, { now, onGo, onKey, onSay }) {
    this.grid = grid;
    this.now = now;
    this.onKey = onKey;
    this.onSay = onSay;
    this.detail = new Detail(root, {
      onClose: (hadFocus) => this.#closed(hadFocus),
      onGo,
      onStep: (step) => grid.moveToRow(step),
    });
  }

  /** Prepares for another list, in which the row with a key will be opened if it is not null. */
  begin(key) {
    this.detail.close();
    this.key = key;
  }

  /** Opens the row that the address names, if there is one: `isKnown` says that the cursor is on it. */
  showFirst(isKnown) {
    if (isKnown) this.open();
    else if (this.key !== null) this.detail.showMissing(this.now().request.title);
  }

  /** What the panel is told of the list. */
  get place() {
    const { request, window, source, sources, live } = this.now();
    return { request, columns: window.columns, source, sources, isPaused: live.isPaused };
  }

  /** Opens the row at the cursor. */
  open() {
    const { window, live } = this.now();
    if (window === null) return; // Another list is being read.
    const item = this.grid.cursorItem;
    this.#awaitsRow = item === null;
    if (!item?.row) return;
    this.#isLost = false;
    this.#timers.cancel("loss");
    if (this.detail.key !== item.key) this.onSay(`Row ${item.rowKey} is open`);
    this.detail.show(item, this.place);
    live.followRow(item.rowKey, (item) => this.#follow(item));
    this.#keep(item.rowKey);
  }

  /** Opens the row at the cursor; if it is open, the focus goes there. */
  enter() {
    const item = this.grid.cursorItem;
    if (this.detail.isOpen && item !== null && this.detail.key === item.key) this.detail.focus();
    else this.open();
  }

  /** Opens the row at the cursor in place of the one that is open. */
  followCursor() {
    if (this.detail.isOpen) this.open();
  }

  /** Opens the row at the cursor, if it has only come now. */
  openAwaited() {
    if (this.#awaitsRow && this.detail.isOpen) this.open();
  }

  /** Shows the open row as it is in a window, unless one of its own follows it. */
  showIn(window) {
    if (!this.now().live.hasRow) this.detail.follow(window, this.place);
  }

  /** Reads what the links of the open row say again soon: the file has changed. */
  refreshSoon() {
    if (this.detail.isOpen) this.#links.ask();
  }

  close() {
    return this.detail.close();
  }

  #closed(hadFocus) {
    this.#awaitsRow = false;
    this.now().live.followRow(null);
    this.#keep(null);
    if (hadFocus) this.grid.root.focus();
  }

  #keep(key) {
    this.key = key;
    this.onKey();
  }

  /** Shows the open row as it is now, wherever it is in the list; null if it is no longer there. */
  #follow(item) {
    this.#timers.cancel("loss");
    this.#isLost = item === null;
    if (item !== null) return this.detail.show(item, this.place);
    this.#timers.later("loss", lossTime, () => this.#explainLoss());
    return this.#explainLoss();
  }

  /** Reads the open row if no window follows it, and the lines that the page holds do not have it. */
  async ask() {
    const { request, live, window } = this.now();
    const [{ key: shown }, key] = [this.detail, this.key];
    if (shown === null || live.hasRow || window.line(shown) !== null) return;
    let item = null;
    try {
      const body = await fetchJSON("api/rows", request.parameters({ key, count: 1 }));
      item = new LineWindow(body).items.find(({ rowKey }) => rowKey === key) ?? null;
    } catch (error) {
      if (error.status !== 404) return;
    }
    const now = this.now();
    if (this.detail.key === shown && now.request === request && !now.live.hasRow) this.#follow(item);
  }

  async #explainLoss() {
    const [{ request, source }, key] = [this.now(), this.key];
    const reason = await reasonOfLoss(request, source, key);
    if (this.#isLost && this.now().request === request && this.key === key) this.detail.noteLoss(reason);
  }
}

/** Why a row with a key is no longer in a list. */
async function reasonOfLoss(request, source, key) {
  if (request.sql !== null) return "This row has left the result.";
  if (request.filters.length === 0) return "This row was deleted.";
  // Rows of a view are not told apart in the same way in two lists.
  if (source.kind !== "table") return "This row was deleted, or has left this list.";
  const whole = ListRequest.ofSource({ name: request.source });
  try {
    await fetchJSON("api/rows", whole.parameters({ key, count: 1 }));
  } catch (error) {
    if (error.status === 404) return "This row was deleted.";
  }
  return "This row has left this list.";
}
