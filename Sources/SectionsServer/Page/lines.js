// The lines of a list in one version, and how an event makes the next one.

/** An item with a key that no other line has: a row's key could be a section's. */
function keyed(item) {
  if (item.header) return { ...item, key: `section ${item.header.key}` };
  return { ...item, key: `row ${item.key}`, rowKey: item.key };
}

/**
 * Lines of a list in one version. An item is `{header}` or `{row}`, as the server sends it, with a `key`. A
 * window does not change: events make a new one.
 */
export class LineWindow {
  /** `body`: what the server sends of a window; `items`: its lines, if they are known already. */
  constructor(body, items = body.window.map(keyed)) {
    this.version = body.version;
    this.lines = body.lines;
    this.rows = body.rows;
    this.sections = body.sections;
    this.columns = body.columns;
    this.totals = body.totals ?? {};
    this.from = body.from;
    this.firstSection = body.section ?? 0;
    this.sticky = body.sticky ?? null;
    this.items = items;
    this.places = new Map(items.map((item, place) => [item.key, place]));
  }

  get end() {
    return this.from + this.items.length;
  }

  /** The item of a line, or null if the window does not reach it. */
  item(line) {
    return this.items[line - this.from] ?? null;
  }

  /** The line of an item with a key, or null if the window has none. */
  line(key) {
    const place = this.places.get(key);
    return place === undefined ? null : this.from + place;
  }

  /** The window after an event `changes`; null if the event does not fit to it. */
  after(changes) {
    const items = [];
    for (const part of changes.patch) {
      if (!Array.isArray(part)) {
        items.push(keyed(part));
        continue;
      }
      const [line, count] = part;
      const kept = this.items.slice(Math.max(0, line - this.from), line - this.from + count);
      if (kept.length !== count) return null;
      items.push(...kept);
    }
    const { columns, totals } = this;
    return new LineWindow({ columns, totals, ...changes }, items);
  }

  /** What a change did to lines of this window: "inserted", "updated" or "moved" for their keys. */
  marks(changed) {
    return new Map(["inserted", "updated", "moved"].flatMap((kind) =>
      (changed[kind] ?? []).filter((line) => this.item(line) !== null)
        .map((line) => [this.item(line).key, kind])));
  }
}
