// What the server answers: JSON with exact integers, and errors.

const shortestWait = 2_000; // Milliseconds.

/** An answer other than 2xx, with the server's message and next step. */
export class ServerError extends Error {
  constructor(status, body = {}, wait = 0) {
    super(body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.nextStep = body.nextStep ?? "";
    /** Where typed SQL is wrong, as a place in its text; null if that is not known. */
    this.place = body.place ?? null;
    /** Seconds to wait before the next attempt. */
    this.wait = wait;
  }

  /** Whether the same request may succeed later. A query that takes too long (504) would again. */
  get isTemporary() {
    return (this.status >= 500 && this.status !== 504) || this.status === 429 || this.status === 408;
  }

  /** Milliseconds to wait before the next attempt. */
  get waitTime() {
    return Math.max(shortestWait, this.wait * 1_000);
  }

  static async from(response) {
    const body = await response.json().catch(() => ({}));
    const wait = Number(response.headers.get("Retry-After")) || 0;
    return new ServerError(response.status, body.error, wait);
  }
}

/** What an error says, and what is to be done. An error of the network has no next step. */
export function errorText({ message, nextStep = "" }) {
  return nextStep === "" ? `${message}.` : `${message}. ${nextStep}.`;
}

// Whether a reviver is told the text of a number. Older browsers do not tell it.
const hasSource = JSON.parse("1", (_, value, context) => context?.source) === "1";
// What a text of the file cannot begin with by chance.
const mark = `integer ${Math.random()} `;

/** Reads JSON. Integers that a JavaScript number would round become BigInts. */
export function parseExactly(text) {
  return hasSource ? JSON.parse(text, fromSource) : JSON.parse(marked(text), fromMark);
}

function fromSource(_, value, context) {
  const isRounded = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}

/** Puts long integers into marked texts. Texts are matched too, so that digits in them stay. */
function marked(text) {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => {
    const isRounded = /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token));
    return isRounded ? JSON.stringify(mark + token) : token;
  });
}

function fromMark(_, value) {
  return typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
}

export async function fetchJSON(path, parameters, options = {}) {
  const response = await ask(path, parameters, { ...options, cache: "no-cache" });
  return parseExactly(await response.text());
}

/** Sends a request. Throws a `ServerError` unless the status is 2xx. */
export async function ask(path, parameters, options = {}) {
  // Over unencrypted HTTP, browsers do not say that a request is the page's own: only such a one can have this header.
  const hasSQL = new URLSearchParams(parameters).has("sql");
  const headers = hasSQL ? { ...options.headers, "Sections-SQL": "run" } : options.headers;
  const response = await fetch(`${path}?${parameters}`, { ...options, headers });
  if (!response.ok) throw await ServerError.from(response);
  return response;
}
