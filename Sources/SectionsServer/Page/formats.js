// How values are written for people: numbers with their digits, dates, links. Copies and filters have them as they are.

import { isNumber, make, textOf } from "./cells.js";
import { mayBeTime, timeUnit } from "./types.js";

// Numbers that name something: with thousands they would be harder to read, and so would times.
const nameEnd = /(^|_)(id|key|code|zip|phone|year|version)$/; // Of a name in small letters.
const wordEnd = /[a-z](I[dD]|Key|Code|Zip|ZIP|Phone|Year|Version)$/;
const mostDigits = 6;

/** The text of numbers in a column: thousands, and as many decimals as the others have. No digit is left out. */
export function numberText(column, values) {
  if (!column.numeric || column.key || column.isReference || isName(column) || mayBeTime(column)) return textOf;
  const digits = Math.min(mostDigits, Math.max(0, ...values.filter(isNumber).map(decimals)));
  const format = new Intl.NumberFormat(undefined, {
    useGrouping: "min2", minimumFractionDigits: digits, maximumFractionDigits: 20,
  });
  return (value) => (isWritable(value) ? format.format(value) : textOf(value));
}

function isName({ name }) {
  return nameEnd.test(name.toLowerCase()) || wordEnd.test(name);
}

/** Not with an exponent: its digits would be zeros. */
function isWritable(value) {
  if (typeof value === "bigint") return true;
  if (typeof value !== "number") return false;
  return value === 0 || (Math.abs(value) < 1e15 && Math.abs(value) >= 1e-6);
}

function decimals(value) {
  return isWritable(value) ? String(value).split(".")[1]?.length ?? 0 : 0;
}

/** A text with its web addresses and mail addresses as links. */
export function linked(text) {
  if (/^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$/.test(text)) return [link(`mailto:${text}`, text)];
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(/\bhttps?:\/\/[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]/g)) {
    parts.push(text.slice(end, match.index), link(match[0], match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)].filter((part) => part !== "");
}

function link(address, text) {
  return make("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, text);
}

const isoDate = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * A date as the reader writes it, or null if a value is none: a text in ISO 8601, or seconds or milliseconds since 1970
 * in a column that is declared as one, or has the name of one. A time with a zone is that of the reader; one without is as it is.
 */
export function readersDate(value, column) {
  if (isNumber(value) && mayBeTime(column)) {
    const unit = timeUnit(value);
    return unit === null ? null : shown(new Date(Number(value) * unit), { timeZoneName: "short" }, true);
  }
  const match = typeof value === "string" ? isoDate.exec(value) : null;
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, zone] = match;
  if (zone !== undefined) {
    const normal = zone === "Z" || zone.includes(":") ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
    const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second ?? "00"}${normal}`);
    return shown(time, { timeZoneName: "short" }, true);
  }
  const date = new Date(Date.UTC(year, month - 1, day, hour ?? 0, minute ?? 0, second ?? 0));
  // 31 February is none.
  if (date.getUTCDate() !== Number(day) || date.getUTCMonth() !== month - 1) return null;
  return shown(date, { timeZone: "UTC" }, hour !== undefined);
}

function shown(date, options, hasTime) {
  if (Number.isNaN(date.getTime())) return null;
  const time = hasTime ? { hour: "numeric", minute: "2-digit", second: "2-digit" } : {};
  return new Intl.DateTimeFormat(undefined, {
    weekday: "short", year: "numeric", month: "long", day: "numeric", ...time, ...options,
  }).format(date);
}

const monthName = new Intl.DateTimeFormat(undefined, { timeZone: "UTC", month: "short", year: "numeric" });
const dayName = new Intl.DateTimeFormat(undefined, { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
const rangeNumber = new Intl.NumberFormat(undefined, { maximumFractionDigits: 20 });

/** The text of the values of a column from one on, below another: a period if both are the beginnings of one. */
export function rangeText(low, high, column) {
  const ends = timeTexts([low, high], column) ?? [String(low), String(high)];
  return periodText(...ends) ?? ends.map(endText).join(" – ");
}

/** Numbers since 1970 as texts, as the server has those of dates; null for others. Only the high end has a known unit. */
function timeTexts(ends, column) {
  const unit = mayBeTime(column) ? timeUnit(ends[1]) : null;
  const times = ends.map((end) => new Date(Number(end) * unit));
  if (unit === null || times.some((time) => Number.isNaN(time.getTime()))) return null;
  const texts = times.map((time) => time.toISOString().replace("T", " "));
  const length = ["-01 00:00:00.000Z", " 00:00:00.000Z", ":00:00.000Z"]
    .findIndex((rest) => texts.every((text) => text.endsWith(rest)));
  return texts.map((text) => text.slice(0, [7, 10, 13][length] ?? 19));
}

function endText(value) {
  const number = Number(value);
  return String(value).trim() !== "" && isWritable(number) ? rangeNumber.format(number) : String(value);
}

/** A period that begins with a text and ends before another, as the server divides dates; null for others. */
function periodText(low, high) {
  const [start, end] = [low, high].map((text) => /^(\d{4})-(\d\d)(?:-(\d\d)(?:[ T](\d\d))?)?$/.exec(text));
  if (start === null || end === null) return null;
  const [, year, month, day, hour] = start;
  const time = ([, year, month, day = "01", hour = "00"]) => Date.UTC(year, month - 1, day, hour);
  if (hour !== undefined) {
    return time(end) - time(start) === 3_600_000 ? `${dayName.format(time(start))}, ${hour}:00` : null;
  }
  if (day !== undefined) return time(end) - time(start) === 86_400_000 ? dayName.format(time(start)) : null;
  const months = 12 * (end[1] - year) + (end[2] - month);
  if (months === 1) return monthName.format(time(start));
  if (month !== "01" || end[2] !== "01") return null;
  return months === 12 ? year : `${year} – ${String(end[1] - 1).padStart(4, "0")}`;
}
