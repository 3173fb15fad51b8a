// How a typed query is kept up to date, as `sections explain` says it, and the indexes that would help.

import { make } from "./cells.js";
import { copyButton, copyText } from "./copy.js";
import { fetchJSON } from "./answers.js";
import { Throttle } from "./timers.js";

const pause = 30_000; // With other statistics of a table, SQLite may use other indexes.

const verdicts = {
  touchedRows: ["Only changed rows are looked up", "good"],
  partlyTouchedRows: ["Some changes compare all rows", "fair"],
  comparison: ["All rows are compared after each commit", "poor"],
};

export class Upkeep {
  #request = null;
  #shown = null; // The answer that is shown, as text.
  #again = new Throttle(pause, () => this.#load());

  /** `onColumns(names)` is called with the columns of what is explained. */
  constructor(root, onColumns) {
    this.root = root;
    this.onColumns = onColumns;
  }

  /** Explains it again, since the file has changed: at once if the schema is another. */
  refresh(isOtherSchema) {
    if (isOtherSchema) this.#load();
    else if (this.#request !== null) this.#again.ask();
  }

  /** Explains a list from now on; nothing if it is null. */
  follow(request) {
    this.#request = request;
    this.#shown = null;
    this.root.hidden = true;
    this.#load();
  }

  async #load() {
    const request = this.#request;
    if (request === null) return;
    let explanation;
    try {
      explanation = await fetchJSON("api/explain", request.with({ filters: [], columns: [] }).parameters());
    } catch (error) {
      explanation = { error };
    }
    if (request !== this.#request) return;
    // It is wrong until the user has changed it.
    if (explanation.error?.status === 400) this.#request = null;
    const text = explanation.error ? explanation.error.message : JSON.stringify(explanation);
    if (text === this.#shown) return;
    this.#shown = text;
    if (!explanation.error) this.onColumns(explanation.columns);
    this.#show(explanation);
  }

  #show({ error, ...explanation }) {
    // What is wrong with the query is said beside it.
    this.root.hidden = error?.status === 400;
    const heading = make("h2", {}, "How it is kept up to date");
    if (error) {
      this.root.replaceChildren(heading, make("p", { className: "quiet" }, `${error.message}.`));
      return;
    }
    const [verdict, quality] = verdicts[explanation.verdict] ?? [explanation.verdict, "fair"];
    const mark = make("p", { className: "verdict" }, verdict);
    mark.dataset.quality = quality;
    this.root.replaceChildren(
      heading, mark, make("p", {}, reason(explanation)), make("p", { className: "quiet" }, identity(explanation)),
      ...advice(explanation), ...explanation.derivations.map(derivation));
  }
}

function reason({ verdict, summary, reason }) {
  return verdict === "comparison" ? `${reason.slice(0, 1).toUpperCase()}${reason.slice(1)}.` : summary;
}

function identity({ key, copied, verdict, held }) {
  const rows = key.length > 0 ? `A row is known by ${key.join(", ")}.`
    : verdict === "comparison" || held.length === 0
      ? "The rows have no key: select the columns that identify them, such as a primary key." : "";
  return copied ? `${rows} The rows are kept in memory.` : rows;
}

/** The statements that create the indexes which would help. */
function advice({ indexes, verdictWithIndexes }) {
  if (indexes.length === 0) return [];
  const these = indexes.length === 1 ? "this index" : "these indexes";
  const would = verdictWithIndexes === "touchedRows"
    ? "only changed rows would be looked up" : "all rows would be compared less often";
  return [
    make("p", { className: "advice" }, `With ${these} ${would}:`),
    ...indexes.map(({ sql }) => make("p", { className: "index" },
      make("code", {}, sql), copyButton("Copy the statement", () => copyText(sql)))),
  ];
}

function derivation({ table, summary, reason, queries }) {
  const parts = queries.map(({ finds, sql, obstacle, plan }) => make("li", {},
    ...(finds === summary ? [] : [make("span", {}, finds)]), make("code", {}, sql), steps(plan),
    ...(obstacle ? [make("span", { className: "obstacle" }, obstacle)] : [])));
  const content = [...(reason ? [make("p", {}, `${reason}.`)] : []), make("ul", {}, ...parts)];
  return make("details", {}, make("summary", {}, `A changed row of ${table}: ${summary}`), ...content);
}

function steps(plan) {
  return make("ul", { className: "plan" }, ...plan.map(({ detail, obstacle, parts }) =>
    make("li", { className: obstacle ? "obstacle" : "" }, detail, ...(parts.length > 0 ? [steps(parts)] : []))));
}
