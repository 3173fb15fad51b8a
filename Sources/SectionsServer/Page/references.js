// What foreign keys lead to: the name of the row that one refers to, and how many rows refer to another.

import { fetchJSON } from "./answers.js";
import { numbers, textOf } from "./cells.js";
import { ListRequest } from "./request.js";

const likelyNames = ["name", "title", "label", "display_name", "full_name", "subject", "email"];

/** The column by which people know the rows of a source, or null if there is none. */
export function nameColumn({ columns }) {
  const found = likelyNames.map((likely) => columns.find(({ name }) => name.toLowerCase() === likely));
  return found.find((column) => column !== undefined)
    ?? columns.find(({ type, key, references }) => /CHAR|CLOB|TEXT/i.test(type) && !key && !references) ?? null;
}

/** Adds the name of a row to a link that leads to it: `sources` are all, `reference` and `value` say which row. */
export async function addName(link, reference, value, sources) {
  const source = sources.find(({ name }) => name === reference.source);
  const column = source === undefined ? null : nameColumn(source);
  if (column === null) return;
  const [found] = await values(ListRequest.ofValue(reference.source, reference.column, value), column.name);
  if ((found?.value ?? null) !== null) setText(link, `${reference.source}: ${textOf(found.value).slice(0, 80)}`);
}

/** Adds the number of rows to a link that leads to those of a source with a value in a column. */
export async function addCount(link, source, column, value) {
  const found = await values(ListRequest.ofValue(source, column, value), column);
  const count = found.reduce((sum, one) => sum + one.count, 0);
  setText(link, `${source} ${numbers.format(count)}`);
}

/** The values of a column. This makes no list at the server, of which there are few. */
async function values(request, column) {
  const answer = await fetchJSON("api/values", request.parameters({ column })).catch(() => null);
  return answer?.values ?? [];
}

function setText(link, text) {
  if (!link.isConnected) return;
  link.textContent = text;
  link.removeAttribute("aria-label"); // The text says more.
}
