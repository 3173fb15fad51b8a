// What a column holds, by its declared type and its name: the declared types of SQLite say little of times.

/** The description of a column; that of an expression has no more than its name. */
export function described(name, columns) {
  return columns.find((column) => column.name === name) ?? { name };
}

/** Whether a column is declared as text. */
export function isText({ type = "" }) {
  return /CHAR|CLOB|TEXT/i.test(type);
}

/** Whether a column is declared as numbers. */
export function isNumeric({ type = "" }) {
  return /INT|REAL|NUM|DEC|FLOA|DOUB/i.test(type);
}

/** Whether a column is declared as numbers with decimals. */
export function isReal({ type = "" }) {
  return /REAL|DEC|FLOA|DOUB/i.test(type);
}

const timeWords = new Set(["at", "on", "ts", "epoch", "created", "updated", "modified", "timestamp", "datetime"]);

/** Whether a column holds times: it is declared so, or its name ends as that of one does. */
export function isTime({ name, type = "" }) {
  if (/DATE|TIME/i.test(type)) return true;
  const word = lastWord(name);
  return timeWords.has(word) || (word.endsWith("date") && word !== "update");
}

/**
 * Whether a column holds times or durations, as `start_time` and `playing_time` do. Its values tell which. The server has
 * the same rule (`ValueRanges`).
 */
export function mayBeTime(column) {
  return isTime(column) || lastWord(column.name).endsWith("time");
}

/** `at` of `created_at` and `createdAt`, and nothing of the kind of `format`. */
function lastWord(name = "") {
  return (/[A-Z]?[a-z]+$|[A-Z]+$/.exec(name)?.[0] ?? "").toLowerCase();
}

/** The milliseconds of a unit in which a number is a time since 1970: seconds or milliseconds. Null for other numbers. */
export function timeUnit(number) {
  const size = Math.abs(Number(number));
  return size >= 1e8 && size < 1e14 ? size < 1e11 ? 1_000 : 1 : null;
}
