// How a value of the file is shown. Everything becomes text: nothing is ever read as HTML.

import { parseExactly } from "./answers.js";

// The bytes of an image that is shown in a cell.
const largestThumb = 100_000;

export const numbers = new Intl.NumberFormat();

/** An element with properties and children. A child that is a text becomes text. */
export function make(tag, properties = {}, ...children) {
  const { className, role, ...rest } = properties;
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (role) element.setAttribute("role", role);
  for (const [name, value] of Object.entries(rest)) {
    if (name.includes("-")) element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

export function find(id) {
  return document.getElementById(id);
}

export function emptyMark() {
  return make("span", { className: "null" }, "empty text");
}

/** A link to a list. A plain click calls `onGo(request)`; with Control, Command or Shift the browser follows it. */
export function linkTo(request, properties, onGo, ...children) {
  const link = make("a", { href: request.query, ...properties }, ...children);
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onGo(request);
  });
  return link;
}

/**
 * Replaces a part of the page. If an element with a `data-name` had the focus, the new one of that name
 * gets it: else the next key would go to the list.
 */
export function rebuild(root, children) {
  const hadFocus = root.contains(document.activeElement);
  const name = hadFocus ? document.activeElement.dataset.name : undefined;
  root.replaceChildren(...children);
  if (name === undefined) return;
  const named = [...root.querySelectorAll("[data-name]")];
  named.find((element) => element.dataset.name === name)?.focus({ preventScroll: true });
}

/** A box with a label. `onChange(isChecked)` is called when the user has changed it. */
export function labelledBox(name, isChecked, onChange) {
  const box = make("input", { type: "checkbox", checked: isChecked, value: name, "data-name": name });
  box.addEventListener("change", () => onChange(box.checked));
  return make("label", {}, box, make("span", {}, name));
}

/** Shows a popover below a button, as far as there is room. */
export function showBelow(popover, button) {
  popover.showPopover();
  const { left, bottom } = button.getBoundingClientRect();
  popover.style.top = `${bottom}px`;
  popover.style.left = `${Math.max(8, Math.min(left, innerWidth - popover.offsetWidth - 8))}px`;
}

/** Has a `details` close when something else is clicked. */
export function closeByClickOutside(details) {
  document.addEventListener("click", (event) => {
    if (!details.contains(event.target)) details.open = false;
  });
}

export function plural(count, word) {
  return `${numbers.format(count)} ${word}${count === 1 ? "" : "s"}`;
}

export function isNumber(value) {
  return typeof value === "number" || typeof value === "bigint";
}

export function isBlob(value) {
  return value !== null && typeof value === "object" && "blob" in value;
}

export function isCutText(value) {
  return value !== null && typeof value === "object" && "text" in value;
}

/** Infinity, which is no number in JSON. */
function isInfinite(value) {
  return value !== null && typeof value === "object" && "real" in value;
}

/** Whether a filter can name the value: all of it is known, and it is a text or a number. */
export function isFilterable(value) {
  return value === null || typeof value !== "object";
}

export function isImage(value) {
  return isBlob(value) && (value.type ?? "").startsWith("image/");
}

/** One line of text for a value. */
export function textOf(value) {
  if (value === null || value === undefined) return "NULL";
  if (isBlob(value)) return blobText(value);
  if (isInfinite(value)) return value.real;
  if (isCutText(value)) return `${oneLine(value.text)}…`;
  if (typeof value === "string") return foldedText(value) ?? oneLine(value);
  return String(value);
}

/** A value as JSON. */
export function jsonOf(value) {
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

function kindOf(value) {
  if (value === null || value === undefined) return "null";
  if (isNumber(value) || isInfinite(value)) return "number";
  if (isBlob(value)) return "blob";
  if (typeof value === "string" && parsedJSON(value) !== null) return "json";
  return "text";
}

/** The totals of a section or the list, except for the count, which is shown anyway. All digits are in the titles. */
export function totalsTexts(totals, properties = {}) {
  return Object.entries(totals ?? {}).filter(([name]) => name !== "count").map(([name, value]) =>
    make("span", { ...properties, title: `${name} ${textOf(value)}` }, `${name} ${totalText(value)}`));
}

const tenThousandths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 });

/** A total with thousands, unless it needs an exponent: what is less than a ten-thousandth is mostly a trace of adding. */
export function totalText(value) {
  const size = isNumber(value) ? Math.abs(Number(value)) : Infinity;
  if (size >= 1e15 || (size < 1 && size > 0)) return textOf(value);
  return tenThousandths.format(value);
}

/**
 * Shows a value in a cell of the grid. `write` makes the text of numbers, and `address` is where the server has the
 * value: a small image is shown.
 */
export function fillCell(cell, value, write = textOf, address = null) {
  const kind = kindOf(value);
  cell.dataset.kind = kind;
  const text = write(value);
  if (kind !== "blob") {
    cell.textContent = text.slice(0, 300);
  } else if (address !== null && isImage(value) && value.blob <= largestThumb) {
    cell.replaceChildren(make("img", { className: "thumb", src: address, alt: text, title: text, loading: "lazy" }));
  } else {
    cell.replaceChildren(make("span", { className: "tag" }, text));
  }
}

/** Shows the name of the row that a foreign key refers to, and its value. */
export function fillNamed(cell, name, value) {
  cell.dataset.kind = kindOf(value);
  cell.classList.add("named");
  cell.replaceChildren(
    make("span", { className: "name" }, name), " ", make("span", { className: "count" }, textOf(value)));
}

/** Whether two values look the same. */
export function isSame(one, other) {
  if (one === other) return true;
  if (one === null || other === null || typeof one !== "object") return false;
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The value of a text that holds a JSON object or array, else null. */
export function parsedJSON(text) {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return parseExactly(text);
  } catch {
    return null;
  }
}

function sizeText(bytes) {
  if (bytes < 1000) return plural(bytes, "byte");
  const units = ["kB", "MB", "GB"];
  // Three digits of a larger number are a thousand.
  const power = [1, 2].find((power) => bytes / 1000 ** power < 999.5) ?? 3;
  return `${(bytes / 1000 ** power).toPrecision(3)} ${units[power - 1]}`;
}

function blobText({ blob, type }) {
  const name = type ? type.split("/")[1].toUpperCase() : "Blob";
  return `${name} · ${sizeText(blob)}`;
}

function foldedText(text) {
  const value = parsedJSON(text);
  return value === null ? null : foldedValue(value);
}

/** An object or array of JSON in one line: the names of an object, the length of an array. */
export function foldedValue(value) {
  if (Array.isArray(value)) return `[ ${plural(value.length, "value")} ]`;
  const names = Object.keys(value);
  return names.length === 0 ? "{ }" : `{ ${names.join(", ")} }`;
}

function oneLine(text) {
  return text.replace(/\s*[\r\n]+\s*/g, " ⏎ ").replaceAll("\t", " ");
}

/** The text of a section's title: NULL and the empty text have none. */
export function shownTitle(section, title) {
  return title || (section === null ? "NULL" : "(empty)");
}
