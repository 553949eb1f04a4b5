import { hmacKey } from "../core/signature.ts";
import { MINUTE, parseInstant, SECOND } from "../core/time.ts";
import { ANSWER_MS } from "../core/webhooks.ts";
import { type EventName, SUBSCRIBABLE } from "../features/events/catalogue.ts";
import { envelopeText } from "../features/events/envelope.ts";
import { newSecret } from "../features/webhooks/secrets.ts";
import { deliveryRequest } from "../features/webhooks/send.ts";
import { createApi, type FeedEvent } from "./api.ts";
import type { ClientOptions, Setting } from "./client-command.ts";
import { readConnection } from "./connection.ts";
import { followEvents, POLL_MS, withRetries } from "./event-feed.ts";
import { Misuse } from "./program.ts";
import { describeNetworkError, readRetryAfter, TemporaryProblem } from "./retry.ts";

export interface ListenOptions extends ClientOptions {
  forwardTo: string;
  type?: string[];
  secret?: string;
  since?: string;
}

/** A local webhook receiver restarts within this time. */
const TARGET_WAIT_MS = SECOND / 4;
const LONGEST_RETRY_AFTER_MS = 15 * MINUTE;

/** @throws Misuse for invalid options; Problem for failures that the user must fix */
export async function listen(options: ListenOptions, { host, stopping }: Setting): Promise<void> {
  const { secret = newSecret(), json: isJson = false } = options;
  const say = isJson ? console.error : console.log;
  const url = readTarget(options.forwardTo);
  const names = readNames(options.type);
  const since = readSince(options.since);
  const { origin, credential } = await readConnection(options, host);
  const tell = (problem: string) => console.error(`${problem}\nWaiting for it …`);
  const patience = { stopping, tell };
  say(`Secret: ${secret}`);
  const events = await followEvents(createApi(origin, credential), {
    since,
    ...patience,
    // A local instance is polled at a constant rate, for people who develop a receiver.
    ...(isOwnMachine(origin) ? { longestPollMs: POLL_MS } : {}),
  });
  say(`Events of ${origin} go to ${url}. Ctrl-C ends it.`);
  for await (const event of events) {
    if (names && !names.has(event.event)) continue;
    const reply = await withRetries(() => forward(url, event, secret), patience, TARGET_WAIT_MS);
    console.log(isJson ? JSON.stringify({ ...event, reply }) : toLine(event, reply));
  }
}

const isOwnMachine = (origin: string): boolean =>
  ["localhost", "127.0.0.1", "[::1]"].includes(new URL(origin).hostname);

function readTarget(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : null;
  if (protocol === "http:" || protocol === "https:") return text;
  throw new Misuse("--forward-to must be a URL, such as http://localhost:3000/hook.");
}

function readNames(names: string[] | undefined): Set<string> | null {
  if (!names) return null;
  const available: readonly string[] = SUBSCRIBABLE;
  const unknown = names.find((name) => !available.includes(name));
  if (unknown === undefined) return new Set(names);
  throw new Misuse(`There is no event ${unknown}. There are: ${available.join(", ")}.`);
}

function readSince(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const at = parseInstant(text);
  if (at) return at;
  throw new Misuse("--since must be ISO 8601 with an offset, such as 2026-12-24T18:00:00+01:00.");
}

interface Reply {
  status: string;
  ms: number;
}

/** @throws PassingProblem when the target does not listen or asks for a pause */
async function forward(url: string, { id, event, createdAt, data }: FeedEvent, secret: string) {
  const name = event as EventName;
  const payload = envelopeText({
    id,
    event: name,
    createdAt: new Date(createdAt),
    data: JSON.stringify(data),
  });
  const startedAt = performance.now();
  const end = (status: string): Reply => ({ status, ms: performance.now() - startedAt });
  try {
    const request = { key: await hmacKey(secret), event, eventId: id, payload };
    const reply = await fetch(url, {
      ...(await deliveryRequest({ now: () => new Date() }, request)),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await reply.body?.cancel();
    if (reply.status !== 429) return end(String(reply.status));
    const waitMs = readRetryAfter(reply.headers.get("retry-after"));
    throw new TemporaryProblem(
      `${url} answers 429.`,
      waitMs === null ? null : Math.min(waitMs, LONGEST_RETRY_AFTER_MS),
    );
  } catch (error) {
    if (error instanceof TemporaryProblem) throw error;
    if (error instanceof Error && error.name === "TimeoutError") return end("no answer");
    throw new TemporaryProblem(`${url} cannot be reached: ${describeNetworkError(error)}`);
  }
}

const NAME_WIDTH = Math.max(...SUBSCRIBABLE.map(({ length }) => length));

const toLine = ({ event }: FeedEvent, { status, ms }: Reply): string =>
  [
    new Date().toTimeString().slice(0, 8),
    event.padEnd(NAME_WIDTH),
    status,
    `${Math.round(ms)} ms`,
  ].join("  ");
