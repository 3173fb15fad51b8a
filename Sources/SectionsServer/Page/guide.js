// What leads to the sections of the list: their index at its side, and the chart.

import { fetchJSON } from "./answers.js";
import { find } from "./cells.js";
import { Chart } from "./chart.js";
import { Rail } from "./rail.js";
import { Timers } from "./timers.js";

const refreshTime = 800;

export class SectionGuide {
  #timers = new Timers();

  /**
   * `names` has the names of what foreign keys refer to. `now()` returns the list that is shown, its `request`, and its
   * window, `live`.
   */
  constructor(grid, names, now) {
    this.grid = grid;
    this.now = now;
    const sectionNames = {
      areThere: () => names.has(now().request.by), of: (section) => names.name(now().request.by, section),
    };
    this.rail = new Rail(find("rail"), sectionNames, (line) => grid.scrollToLine(line));
    this.chart = new Chart(find("chart"), sectionNames, (line) => grid.scrollToLine(line));
  }

  /** The values of a column that are shown. */
  shownValues(column) {
    return column === this.now().request?.by ? [...this.chart.values, ...this.rail.values] : [];
  }

  /** Writes the sections again, if they are by one of some columns: what they refer to has other names. */
  refill(columns) {
    if (!columns.includes(this.now().request.by)) return;
    this.chart.refill();
    this.rail.refill();
  }

  /** Prepares for another list. */
  begin(request) {
    this.rail.show([]);
    this.chart.show(request);
  }

  /** Marks the section of the first visible line. */
  mark() {
    this.rail.mark(this.grid.visible.first);
  }

  /** Reads the sections again soon: they have changed. */
  refreshSoon() {
    this.#timers.soon("index", refreshTime, () => this.refresh());
  }

  /** Reads the sections as they are now. */
  async refresh() {
    const { request, live } = this.now();
    if (request.by === null || live.isPaused) return;
    this.chart.refresh();
    const index = await fetchJSON("api/index", request.parameters()).catch(() => null);
    if (index === null || this.now().live !== live || live.isPaused) return;
    this.rail.show(index.entries);
    this.mark();
  }
}
