// The SQL that was typed in this browser: what was run lately, and what has a name. The browser keeps it, for each
// database of a server.

import { storage } from "./theme.js";

const mostRecent = 50;

export class Queries {
  #kept = new Map(); // If the browser keeps nothing: as long as the page is open.

  constructor(database) {
    this.database = database;
  }

  /** What was run lately, the last one first. */
  get recent() {
    return this.#read("recent").filter((sql) => typeof sql === "string");
  }

  /** `{name, sql}` of what has a name, in the order of the names. */
  get named() {
    return this.#read("named").filter((query) => typeof query?.name === "string" && typeof query.sql === "string");
  }

  /** Whether SQL was run or named in this browser: it does not come from a link of somebody else. */
  knows(sql) {
    return this.recent.includes(sql) || this.named.some((query) => query.sql === sql);
  }

  nameOf(sql) {
    return this.named.find((query) => query.sql === sql)?.name ?? null;
  }

  note(sql) {
    const others = this.recent.filter((other) => other !== sql);
    this.#write("recent", [sql, ...others].slice(0, mostRecent));
  }

  forget(sql) {
    this.#write("recent", this.recent.filter((other) => other !== sql));
  }

  /** Gives SQL a name, in place of what had it. */
  save(name, sql) {
    const others = this.named.filter((query) => query.name !== name);
    const all = [...others, { name, sql }];
    this.#write("named", all.sort((one, other) => one.name.localeCompare(other.name)));
  }

  remove(name) {
    this.#write("named", this.named.filter((query) => query.name !== name));
  }

  #key(kind) {
    return `queries ${kind} ${this.database}`;
  }

  #read(kind) {
    const key = this.#key(kind);
    try {
      const list = JSON.parse(storage()?.getItem(key) ?? "null") ?? this.#kept.get(key);
      return Array.isArray(list) ? list : [];
    } catch {
      return this.#kept.get(key) ?? []; // What another program has left there.
    }
  }

  #write(kind, list) {
    this.#kept.set(this.#key(kind), list);
    try {
      storage()?.setItem(this.#key(kind), JSON.stringify(list));
    } catch {
      // The browser has no room: the page keeps it as long as it is open.
    }
  }
}
