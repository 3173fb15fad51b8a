// What the server has: its tables and views with their columns and counts.

export class Catalog {
  /** `all`: the answer of `/api/sources`. It is replaced when there is another one. */
  constructor(all) {
    this.all = all;
  }

  get sources() {
    return this.all.sources;
  }

  /** What tells the database from others of the site: two files may have one name. */
  get key() {
    const { database, index } = this.all;
    return index === undefined ? database : `${database} ${location.pathname}`;
  }

  /** What is known of the source with a name. */
  source(name) {
    return this.sources.find((source) => source.name === name) ?? { name, columns: [] };
  }
}
