// Whether the rows are those of the file, and why not.

import { find, make } from "./cells.js";
import { ListRequest } from "./request.js";

/**
 * Shows a state of the connection of a list. `onAgain()` is called to read the list again, and `onGo(request)` to show
 * another one.
 */
export function showConnection(state, error, request, { onAgain, onGo }) {
  // SQL that was typed is wrong, and not the connection.
  const isWrongSQL = state === "refused" && request.sql !== null && error.status === 400;
  showState(isWrongSQL ? "idle" : state, error);
  if (state === "live" || state === "polling") showProblem(null);
  if (state === "late") showProblem(error, "Try again", onAgain);
  if (state !== "refused" || isWrongSQL) return;
  const whole = ListRequest.ofSource({ name: request.source });
  if (error.status === 400) showProblem(error, "Show the whole table", () => onGo(whole));
  else showProblem(error, "Try again", onAgain);
}

/**
 * Shows whether the rows are those of the file: "connecting", "live", "polling", "paused", "late" if the server
 * cannot read a newer version or is silent, "reconnecting" or "refused".
 */
export function showState(state, error) {
  const since = (error?.since ?? new Date()).toLocaleTimeString();
  const texts = {
    connecting: "Connecting…",
    live: "Live",
    polling: "Updated every 2 seconds", // A browser with many windows.
    paused: `Paused at ${since}`,
    late: `Not updated since ${since}`,
    reconnecting: error?.status === 503 ? "Server is busy, trying again…" : "Reconnecting…",
    refused: "Not connected",
    idle: "", // Nothing is asked for.
  };
  const element = find("state");
  const isSame = element.dataset.state === state
    && (state === "late" || element.textContent === texts[state]);
  if (isSame) return;
  element.dataset.state = state;
  element.textContent = texts[state];
  element.title = error?.message ?? "";
}

/** Shows why there is no list, with a button that mends it; hides that if there is no error. */
export function showProblem(error, label, onPress) {
  const element = find("problem");
  element.hidden = error === null;
  if (error === null) return;
  const button = make("button", { type: "button" }, label);
  button.addEventListener("click", onPress);
  element.replaceChildren(
    make("strong", {}, error.message), make("span", {}, error.nextStep ?? ""), button);
}

/** Says what a list without rows has not; `onGo(request)` is called to show the list without its conditions. */
export function showEmpty(request, onGo) {
  const element = find("empty");
  if (request.filters.length === 0) return element.replaceChildren("No rows.");
  const whole = make("button", { type: "button" }, "Show all rows");
  whole.addEventListener("click", () => onGo(request.with({ filters: [] })));
  return element.replaceChildren(
    request.filters.length === 1 ? "No rows meet the condition." : "No rows meet all conditions.", whole);
}

/** Dims the rows that are about to be replaced; after a second the page says that it reads. */
export function showLoading(isLoading) {
  find("list").classList.toggle("loading", isLoading);
  find("list").ariaBusy = isLoading;
}
