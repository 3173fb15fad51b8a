// A small picture of a list in sections: one bar for each, or a line if they are dates or numbers.

import { find, isNumber, make, numbers, plural, shownTitle, totalText } from "./cells.js";
import { fetchJSON } from "./answers.js";
import { Toggle } from "./toggle.js";

const height = 120;
const margin = { top: 14, right: 16, bottom: 20, left: 64 };
const mostSections = 500;
const fewestForLine = 8;

export class Chart {
  #request = null;
  #sections = [];
  #hasMore = false;

  /**
   * `names`: whether the sections are foreign keys that have names, `areThere()`, and the name of one, `of(section)`, or
   * null. `onLine(line)` is called to show a section, by its line in the list.
   */
  constructor(root, names, onLine) {
    this.root = root;
    this.names = names;
    this.onLine = onLine;
    this.button = make("button", {
      type: "button", id: "show-chart", className: "quiet", "aria-controls": "chart",
      title: "Show the sections as a picture", hidden: true,
    }, "Chart");
    this.toggle = new Toggle(this.button, "chart", (isOpen) => {
      if (isOpen) this.refresh();
      else this.root.hidden = true;
    });
    find("export").before(this.button);
    this.measure = make("select", { id: "chart-measure", "aria-label": "What the chart shows" });
    this.measure.addEventListener("change", () => this.#draw());
    this.note = make("span", { className: "quiet" });
    this.picture = make("div", { id: "chart-picture" });
    root.append(make("div", { className: "line" }, this.measure, this.note), this.picture);
    new ResizeObserver(() => this.#draw()).observe(this.picture);
  }

  /** Prepares for another list, whose sections come with `refresh()`. */
  show(request) {
    this.#request = request;
    this.#sections = [];
    this.button.hidden = request.by === null;
    this.root.hidden = true;
  }

  /** The sections that are shown. */
  get values() {
    return this.root.hidden ? [] : this.#sections.map(({ section }) => section);
  }

  /** Draws the sections again: what they refer to has other names. */
  refill() {
    this.#draw();
  }

  /** Draws the sections as they are now. */
  async refresh() {
    const request = this.#request;
    if (!this.toggle.isOpen || request.by === null) return;
    const parameters = request.parameters({ count: mostSections });
    const answer = await fetchJSON("api/sections", parameters).catch(() => null);
    if (answer === null || request !== this.#request || !this.toggle.isOpen) return;
    this.#sections = answer.sections;
    this.#hasMore = answer.more;
    this.root.hidden = answer.sections.length === 0;
    this.#showMeasures();
    this.#draw();
  }

  /** What can be shown: the number of rows, and the totals that are numbers. */
  #showMeasures() {
    const totals = Object.entries(this.#sections[0]?.totals ?? {}).filter(([name]) => name !== "count");
    const names = totals.map(([name]) => name)
      .filter((name) => this.#sections.some(({ totals }) => isNumber(totals[name])));
    const known = [...this.measure.options].map(({ value }) => value);
    if (known.join("\n") === ["", ...names].join("\n")) return;
    const chosen = this.measure.value;
    this.measure.replaceChildren(
      make("option", { value: "" }, "Rows"), ...names.map((name) => make("option", { value: name }, name)));
    // A total that was just asked for is what is looked for.
    this.measure.value = names.includes(chosen) ? chosen : names[0] ?? "";
  }

  #draw() {
    const width = this.picture.clientWidth;
    if (this.root.hidden || width < 2 * margin.left) return;
    const name = this.measure.value;
    const all = this.#sections.map((section) => {
      const value = name === "" ? section.count : section.totals[name];
      const named = this.names.of(section.section) ?? shownTitle(section.section, section.title);
      return { ...section, named, value: isNumber(value) ? Number(value) : null, text: totalText(value) };
    });
    const ordered = all.filter(({ section }) => section !== null);
    const isLine = ordered.length >= fewestForLine && ordered.every(({ section }) => isOrdered(section))
      && !this.names.areThere(); // Names have no order.
    const points = isLine ? ordered : all; // NULL has no place among dates.
    const known = points.map(({ value }) => value).filter((value) => value !== null);
    const scale = new Scale(points.length, Math.min(0, ...known), Math.max(0, ...known), width);
    const marks = isLine ? line(points, scale) : bars(points, scale);
    const root = shape("svg", { width, height, role: "img", "aria-label": description(points, name, this.#request.by) },
      ...axis(points, scale), ...marks, ...points.map((point, at) => this.#target(point, at, scale)));
    this.picture.replaceChildren(root);
    const notes = [`by ${this.#request.by}`];
    if (this.#hasMore) notes.push(`the first ${numbers.format(all.length)} sections`);
    if (points.length < all.length) notes.push("without NULL");
    this.note.textContent = notes.join(" · ");
  }

  /** The part of the picture that is pressed to go to a section, with its value. */
  #target(point, at, scale) {
    const target = shape("rect", {
      class: "target", x: scale.start(at), y: 0, width: scale.step, height: height - margin.bottom,
    }, shape("title", {}, `${point.named}: ${point.text}`));
    target.addEventListener("click", () => this.onLine(point.line));
    return target;
  }
}

/** Where values are in the picture. */
class Scale {
  constructor(count, least, most, width) {
    this.least = least;
    this.most = most === least ? least + 1 : most;
    this.width = width;
    this.step = (width - margin.left - margin.right) / Math.max(1, count);
  }

  start(at) {
    return margin.left + at * this.step;
  }

  y(value) {
    const room = height - margin.top - margin.bottom;
    return margin.top + room * (this.most - value) / (this.most - this.least);
  }
}

function bars(points, scale) {
  const gap = Math.min(4, scale.step * 0.2);
  return points.flatMap(({ value }, at) => {
    if (value === null) return [];
    const [top, bottom] = [scale.y(Math.max(0, value)), scale.y(Math.min(0, value))];
    return [shape("rect", {
      class: "bar", x: scale.start(at) + gap / 2, y: top,
      width: Math.max(0.5, scale.step - gap), height: Math.max(0.5, bottom - top),
    })];
  });
}

/** A line, with a break where a section has no value. */
function line(points, scale) {
  let path = "";
  points.forEach(({ value }, at) => {
    if (value === null) return;
    const isStart = at === 0 || points[at - 1].value === null;
    path += `${isStart ? "M" : "L"}${scale.start(at) + scale.step / 2} ${scale.y(value)}`;
  });
  return [shape("path", { class: "curve", d: path })];
}

function axis(points, scale) {
  const ends = [scale.most, ...(scale.least < 0 ? [scale.least] : []), 0];
  const values = ends.flatMap((value) => [
    shape("line", {
      class: "rule", x1: margin.left, x2: scale.width - margin.right, y1: scale.y(value), y2: scale.y(value),
    }),
    shape("text", { x: margin.left - 8, y: scale.y(value) + 4, "text-anchor": "end" }, compact(value)),
  ]);
  const every = Math.max(1, Math.ceil(76 / scale.step));
  const titles = points.flatMap((point, at) => at % every !== 0 ? [] : [
    shape("text", { x: scale.start(at) + scale.step / 2, y: height - 5, "text-anchor": "middle" },
      shortened(point.named, Math.max(scale.step, every * scale.step) / 7)),
  ]);
  return [...values, ...titles];
}

function isOrdered(section) {
  return isNumber(section) || (typeof section === "string" && /^\d{4}(-\d\d){1,2}/.test(section));
}

function description(points, name, by) {
  const texts = points.slice(0, 20).map((point) => `${point.named}: ${point.text}`);
  const rest = points.length > 20 ? `, and ${plural(points.length - 20, "more section")}` : "";
  return `${name || "Rows"} by ${by}. ${texts.join(", ")}${rest}`;
}

function compact(value) {
  return new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 3 }).format(value);
}

function shortened(text, length) {
  return text.length > length ? `${text.slice(0, Math.max(1, Math.floor(length) - 1))}…` : text;
}

/** An element of a picture. */
function shape(tag, properties, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
