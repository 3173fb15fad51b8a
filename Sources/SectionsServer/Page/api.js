// Requests to the server, and what it answers.

/** An answer other than 2xx, with the server's message and next step. */
export class ServerError extends Error {
  constructor(status, body = {}, wait = 0) {
    super(body.message ?? `The server answered ${status}.`);
    this.status = status;
    this.nextStep = body.nextStep ?? "";
    /** Seconds to wait before the next attempt. */
    this.wait = wait;
  }

  /** Whether the same request may succeed later. */
  get isTemporary() {
    return this.status >= 500 || this.status === 429 || this.status === 408;
  }

  static async from(response) {
    const body = await response.json().catch(() => ({}));
    const wait = Number(response.headers.get("Retry-After")) || 0;
    return new ServerError(response.status, body.error, wait);
  }
}

/** Reads JSON. Integers that a JavaScript number would round become BigInts. */
export function parseExactly(text) {
  return JSON.parse(text, (_, value, context) => {
    const isRounded = typeof value === "number" && Number.isInteger(value)
      && !Number.isSafeInteger(value);
    return isRounded && /^-?\d+$/.test(context?.source ?? "") ? BigInt(context.source) : value;
  });
}

export async function fetchJSON(path, parameters, signal) {
  const response = await fetch(`${path}?${parameters}`, { signal, cache: "no-cache" });
  if (!response.ok) throw await ServerError.from(response);
  return parseExactly(await response.text());
}

export function blobAddress(request, version, key, column) {
  return `/api/blob?${request.parameters({ version, key, column })}`;
}

/** The bytes of a text that the server cut. */
export async function fetchText(request, version, key, column) {
  let response = await fetch(blobAddress(request, version, key, column));
  if (response.status === 410) response = await fetch(blobAddress(request, null, key, column));
  if (!response.ok) throw await ServerError.from(response);
  return response.text();
}

/**
 * The server's events at an address: first `{name: "open"}`, then `{name, data}` for each.
 * EventSource does not show the status of a refused request, so the stream is read here.
 *
 * `onBytes` is called for all that arrives, comments included.
 */
export async function* serverEvents(address, signal, onBytes) {
  const response = await fetch(address, {
    signal,
    cache: "no-store",
    headers: { Accept: "text/event-stream" },
  });
  if (!response.ok) throw await ServerError.from(response);
  yield { name: "open" };
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let pieces = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes();
    pieces += decoder.decode(value, { stream: true }).replaceAll("\r", "");
    const blocks = pieces.split("\n\n");
    pieces = blocks.pop();
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== null) yield event;
    }
  }
}

function parseEvent(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length === 0 ? null : { name, data: parseExactly(data.join("\n")) };
}
