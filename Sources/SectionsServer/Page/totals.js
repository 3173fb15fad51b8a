// The menu of totals: the sum, the mean, the least and the greatest value of columns, of each section and of all rows.

import { closeByClickOutside, find, make, rebuild } from "./cells.js";
import { isText, isTime } from "./types.js";

const functions = [["sum", "Sum"], ["avg", "Mean"], ["min", "Minimum"], ["max", "Maximum"]];

export class TotalMenu {
  #request = null;

  /** `onRequest(request)` is called with the list that has the chosen totals. */
  constructor(onRequest) {
    this.onRequest = onRequest;
    this.list = make("div", { id: "total-list" });
    this.root = make("details", { id: "totals", className: "menu" }, make("summary", { className: "quiet" }, "Totals"), this.list);
    find("export").before(this.root);
    closeByClickOutside(this.root);
  }

  show(request, source) {
    this.#request = request;
    const rows = source.columns.map((column) => {
      const { name } = column;
      const cells = functions.map(([word, label]) => make("td", {},
        ...(!isSummable(column) && (word === "sum" || word === "avg") ? [] : [this.#box(word, label, name)])));
      return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
    });
    const heads = functions.map(([, label]) => make("th", { scope: "col" }, label));
    rebuild(this.list, [make("table", {},
      make("thead", {}, make("tr", {}, make("td", {}), ...heads)), make("tbody", {}, ...rows))]);
  }

  #box(word, label, column) {
    const total = `${word}:${column}`;
    const box = make("input", {
      type: "checkbox", checked: this.#request.totals.includes(total), value: total, "data-name": total,
      "aria-label": `${label} of ${column}`,
    });
    box.addEventListener("change", () => {
      const others = this.#request.totals.filter((other) => other !== total);
      this.onRequest(this.#request.with({ totals: box.checked ? [...others, total] : others }));
    });
    return box;
  }
}

/** A sum of texts, of times or of keys says nothing. */
function isSummable(column) {
  const { type = "", key = false, references } = column;
  return !key && references === undefined && !isText(column) && !isTime(column) && !/BLOB/i.test(type);
}
