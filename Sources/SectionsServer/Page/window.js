// The lines that the page holds: a window of the list of one version. A window does not change:
// events make a new one.

/** An item with a key that no other line has: a row's key could be a section's. */
function keyed(item) {
  if (item.header) return { ...item, key: `section ${item.header.key}` };
  return { ...item, key: `row ${item.key}`, rowKey: item.key };
}

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

  /** The header of the section that a line belongs to, or null if it is not known. */
  header(line) {
    if (line < this.from || line >= this.end) return null;
    for (let place = line - this.from; place >= 0; place--) {
      if (this.items[place].header) return this.items[place].header;
    }
    return this.sticky;
  }

  /** The number of headers from the first line of the list to a line, that one included. */
  headers(line) {
    let count = 0;
    for (let at = Math.min(line, this.end - 1); at >= this.from; at--) {
      const header = this.item(at)?.header;
      if (header) count++;
    }
    return count + this.firstSection + (this.sticky ? 1 : 0);
  }

  /** The window after an event `changes`. */
  applying(changes) {
    const items = [];
    for (const part of changes.patch) {
      if (Array.isArray(part)) items.push(...this.#kept(part));
      else items.push(keyed(part));
    }
    return new LineWindow({
      ...changes,
      columns: changes.columns ?? this.columns,
      totals: changes.totals ?? this.totals,
    }, items);
  }

  /** What a change did to lines of this window: "inserted", "updated" or "moved" for their keys. */
  marks(changed) {
    return new Map(["inserted", "updated", "moved"].flatMap((kind) =>
      (changed[kind] ?? []).filter((line) => this.item(line) !== null)
        .map((line) => [this.item(line).key, kind])));
  }

  #kept([line, count]) {
    const kept = this.items.slice(line - this.from, line - this.from + count);
    if (kept.length !== count || line < this.from) {
      throw new RangeError(`The patch keeps lines ${line} to ${line + count}, which are not here.`);
    }
    return kept;
  }
}
