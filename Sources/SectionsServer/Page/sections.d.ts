// The types of sections.js: a client of `sections serve`.

/** A number of SQLite. An integer that a JavaScript number would round is a bigint. */
export type SQLNumber = number | bigint;

/** A value of a row: a long text is cut, and a blob is its size and type. */
export type Value =
  | null | string | SQLNumber
  | { readonly text: string; readonly length: number }
  | { readonly blob: number; readonly type: string | null }
  | { readonly real: "Infinity" | "-Infinity" };

export type Row = { readonly [column: string]: Value };

export interface Header<Totals = { readonly [name: string]: Value }> {
  /** The number of the section. */
  readonly at: number;
  readonly key: string;
  readonly section: Value;
  readonly title: string;
  readonly indexTitle: string | null;
  /** The number of its rows. */
  readonly count: number;
  readonly totals?: Totals;
}

/** A line of a list. No other line has its `key`. */
export type Item<R = Row> =
  | { readonly key: string; readonly header: Header; readonly row?: undefined; readonly rowKey?: undefined }
  | {
    readonly key: string;
    /** The numbers of the section, and of the row in it. */
    readonly at: readonly [number, number];
    readonly row: R;
    /** The key of the row, as requests name it. */
    readonly rowKey: string;
    readonly header?: undefined;
  };

/** What happened to a line. */
export type Mark = "inserted" | "updated" | "moved";

/** Lines of a list in one version. It does not change: the next version is another one. */
export class LineWindow<R = Row> {
  readonly version: string;
  /** The numbers of lines, rows and sections of the whole list. */
  readonly lines: number;
  readonly rows: number;
  readonly sections: number;
  readonly columns: readonly string[];
  readonly totals: { readonly [name: string]: Value };
  /** The first line, and the one after the last. */
  readonly from: number;
  readonly end: number;
  readonly items: readonly Item<R>[];
  /** The header above the first line, if that is a row. */
  readonly sticky: Header | null;
  /** The item of a line, or null if the window does not reach it. */
  item(line: number): Item<R> | null;
  /** The line of an item with a key, or null if the window has none. */
  line(key: string): number | null;
}

/**
 * "connecting" until the first version; "late" if the server cannot read a newer version or is silent; "refused" if the
 * same request would fail again.
 */
export type State = "connecting" | "live" | "late" | "reconnecting" | "refused";

/** An answer other than 2xx. */
export class ServerError extends Error {
  readonly status: number;
  readonly nextStep: string;
  /** Seconds to wait before the next attempt. */
  readonly wait: number;
  /** Whether the same request may succeed later. */
  readonly isTemporary: boolean;
}

/** The parameters of `/api/rows`; an array stands for a parameter that is repeated. */
export interface ListParameters {
  source?: string;
  /** In place of `source`: a SELECT, if the server allows that to pages of this origin. */
  sql?: string;
  by?: string | null;
  sort?: string | readonly string[];
  where?: string | readonly string[];
  /** Alternatives to the last of `where`, after which it must be named. */
  or?: string | readonly string[];
  columns?: string | readonly string[];
  /** `FUNCTION:COLUMN`, such as `sum:ms`. */
  total?: string | readonly string[];
}

export interface OpenWindow {
  /** Shows other lines; they come after one round trip. */
  move(from: number, count: number): void;
  close(): void;
}

export interface Snapshot<R = Row> {
  /** The newest version; null before the first one. */
  readonly window: LineWindow<R> | null;
  /** What happened to lines since the snapshot before, by their keys. */
  readonly marks: ReadonlyMap<string, Mark>;
  readonly state: State;
  readonly error: Error | null;
}

/** For `useSyncExternalStore` in React and the like. It is connected as long as somebody subscribes. */
export interface Store<R = Row> {
  /** Calls `listener` after each change. Returns the function that ends that. */
  subscribe(listener: () => void): () => void;
  /** The same object until the next change. */
  getSnapshot(): Snapshot<R>;
  move(from: number, count: number): void;
}

export interface List<R = Row> {
  /** Follows lines, and calls `render` once for each frame with a newer version. */
  window(
    from: number, count: number,
    render: (window: LineWindow<R>, marks: ReadonlyMap<string, Mark>) => void,
    onState?: (state: State, error: Error | null) => void,
  ): OpenWindow;
  store(from: number, count: number): Store<R>;
  /** Lines of the newest version, read once. */
  lines(from: number, count: number): Promise<LineWindow<R>>;
}

/** A list of the server at an address. `token` is the server's, if it has one. */
export function live<R = Row>(
  address: string | URL, parameters: ListParameters, options?: { token?: string | null },
): List<R>;

/** Reads JSON with exact integers. */
export function parseExactly(text: string): unknown;
