import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { SECOND } from "../core/time.ts";
import { SUBSCRIBABLE } from "../features/events/catalogue.ts";
import type { Api } from "./api.ts";
import { Problem } from "./program.ts";

const ARRIVAL_TIMEOUT_MS = 15 * SECOND;
const POLL_MS = SECOND / 4;

/** Separates the demo's webhooks from the user's. */
const MARK = "?from=demo";

const receiver = z.object({
  url: z.string(),
  secret: z.string(),
  arrivals: z.array(
    z.object({
      event: z.string(),
      eventId: z.string(),
      isTrusted: z.boolean(),
      problem: z.string().nullable(),
      body: z.string(),
    }),
  ),
});

/** Returns null in production, which has no sandbox receiver. */
async function findReceiver(origin: string) {
  const response = await fetch(`${origin}/sandbox/api/webhook`);
  if (!response.ok) return null;
  return receiver.parse(await response.json());
}

export interface PostOutcome {
  uploadId: number;
  status: "completed" | "failed";
}

export async function subscribeReceiver(
  api: Pick<Api, "origin" | "listWebhooks" | "createWebhook" | "deleteWebhook">,
  timeoutMs = ARRIVAL_TIMEOUT_MS,
) {
  const target = await findReceiver(api.origin);
  if (!target) return null;
  const url = target.url + MARK;
  // A killed run leaves its webhooks behind.
  const leftovers = (await api.listWebhooks()).filter((webhook) => webhook.url === url);
  for (const { id } of leftovers) await api.deleteWebhook(id);
  const events = SUBSCRIBABLE.filter((name) => name.startsWith("upload."));
  const id = await api.createWebhook({ url, events, secret: target.secret });
  return {
    report: (outcomes: readonly PostOutcome[]) => reportArrivals(api.origin, outcomes, timeoutMs),
    end: () => api.deleteWebhook(id),
  };
}

const envelope = z.object({ data: z.object({ uploadId: z.number() }) });

/** @throws Problem when an event is missing or its signature is wrong */
async function reportArrivals(origin: string, outcomes: readonly PostOutcome[], timeoutMs: number) {
  const ids = new Set(outcomes.map(({ uploadId }) => uploadId));
  const expected = outcomes.map(({ uploadId, status }) => `upload.${status} ${uploadId}`);
  for (const deadline = Date.now() + timeoutMs; ; await sleep(POLL_MS)) {
    const arrived = ((await findReceiver(origin))?.arrivals ?? []).flatMap((arrival) => {
      const uploadId = uploadIdOf(arrival.body);
      return uploadId !== null && ids.has(uploadId) ? [{ ...arrival, uploadId }] : [];
    });
    const there = new Set(arrived.map(({ event, uploadId }) => `${event} ${uploadId}`));
    const missing = expected.filter((one) => !there.has(one));
    const wrong = arrived.find(({ isTrusted }) => !isTrusted);
    if (wrong)
      throw new Problem(`The webhook ${wrong.event} is not to be trusted. ${wrong.problem}`);
    if (missing.length === 0) return describe(arrived);
    if (Date.now() > deadline) {
      throw new Problem(`Webhooks that did not arrive in time: ${missing.join(", ")}.`);
    }
  }
}

function uploadIdOf(body: string): number | null {
  try {
    return envelope.parse(JSON.parse(body)).data.uploadId;
  } catch {
    return null;
  }
}

function describe(arrived: readonly { event: string; eventId: string }[]): string {
  const names = [...new Map(arrived.map(({ eventId, event }) => [eventId, event])).values()];
  const counts = [...new Set(names)]
    .sort()
    .map((name) => `${names.filter((one) => one === name).length} × ${name}`);
  return `Webhooks that arrived, all signatures valid: ${counts.join(", ")}.`;
}
