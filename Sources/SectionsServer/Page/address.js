// The address of the page: the list, and the row that is open. The history of the browser also has the first line.

import { ListRequest } from "./request.js";

/** The list that the address names; the source is null if it names none. */
export function requestOfAddress() {
  return ListRequest.fromURL(location.search);
}

/** The key of the row that the address names, or null. */
export function rowOfAddress() {
  return new URLSearchParams(location.search).get("row");
}

/** The line at which the list begins: the one of before, or the one that the address names for a page without scripts. */
export function lineOfAddress() {
  const line = history.state?.line ?? Number(new URLSearchParams(location.search).get("from"));
  return Number.isSafeInteger(line) && line > 0 ? line : 0;
}

/** Keeps what is shown. */
export function keepPlace(request, row, line) {
  history.replaceState({ ...history.state, line }, "", request.address({ row }));
}

/**
 * Goes to a list, as a step of the history; several times for the same `reason` are one step. `row`: the key of the row
 * that will be opened.
 */
export function step(request, { row = null, line = 0, reason = null } = {}) {
  const address = request.address({ row });
  const isSameStep = reason !== null && history.state?.reason === reason;
  if (isSameStep) history.replaceState({ line, reason }, "", address);
  else history.pushState(reason === null ? { line } : { line, reason }, "", address);
}
