// What foreign keys lead to: the name of the row that one refers to, and how many rows refer to another.

import { fetchJSON } from "./answers.js";
import { isFilterable, numbers, textOf } from "./cells.js";

/** The foreign keys of a source: of one column, and of several. */
export function foreignKeys({ columns, keys = [] }) {
  const single = columns.filter(({ references }) => references !== undefined)
    .map(({ name, references }) => ({ columns: [name], source: references.source, referred: [references.column] }));
  return [...single, ...keys];
}

/** The values of columns in a row; null if a key cannot have them: one is NULL, or not known as a whole. */
export function keyValues(row, columns) {
  const values = columns.map((column) => row[column] ?? null);
  return values.every((value) => value !== null && isFilterable(value)) ? values : null;
}

/** Adds the name of a row to a link that leads to it: `request` has no other row, and `sources` are all. */
export async function addName(link, request, sources) {
  const source = sources.find(({ name }) => name === request.source);
  if (source?.label === undefined) return;
  const found = await values(request, source.label);
  if (found === null) return;
  const name = found[0]?.value ?? null;
  setText(link, name === null ? request.source : `${request.source}: ${textOf(name).slice(0, 80)}`);
}

/** Adds the number of rows to a link that leads to those with a value in a column. */
export async function addCount(link, request, column) {
  const found = await values(request, column);
  if (found === null) return;
  const count = found.reduce((sum, one) => sum + one.count, 0);
  setText(link, `${request.source} ${numbers.format(count)}`);
}

/** The values of a column; null if they cannot be read. This makes no list at the server, of which there are few. */
async function values(request, column) {
  const answer = await fetchJSON("api/values", request.parameters({ column })).catch(() => null);
  return answer?.values ?? null;
}

function setText(link, text) {
  if (!link.isConnected) return;
  link.textContent = text;
  link.removeAttribute("aria-label"); // The text says more.
}
