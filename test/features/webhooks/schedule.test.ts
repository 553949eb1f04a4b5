import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { SECOND } from "../../../src/core/time.ts";
import { Harness } from "../../support/harness.ts";
import { fails, Hooks } from "../../support/hooks.ts";
import { loadOf } from "../../support/load.ts";

const ENDPOINTS = 50;
const EVENTS = loadOf(100, 10_000) / ENDPOINTS;
const BATCH_SIZE = 10;
const EVENT_EVERY_MS = 20 * SECOND;
/** In ms. Source: spec, "Events", delivery rule 2. */
const DELAYS = [30_000, 120_000, 600_000, 3_600_000, 21_600_000];
const MAX_JITTER = 0.1;
const MAX_LATE_MS = 5_000;
const LONGEST_ATTEMPT_MS = 10_500;
const TIMEOUT_MS = 10_000;

const random = (() => {
  let state = 42;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
})();

interface Row {
  webhook_id: number;
  event_id: string;
  attempt: number;
  success: number;
  error: string | null;
  duration_ms: number;
  created_at: number;
}

test(`${ENDPOINTS * EVENTS} deliveries to bad receivers keep the schedule, and each is in the log to its end`, async () => {
  const harness = new Harness({ wait: () => scheduler.wait(20) });
  const hooks = await Hooks.open(harness);
  /** Requests without an answer, and when they time out. */
  const hanging: { at: number; end: () => void }[] = [];
  const hang = () =>
    new Promise<Response>((_, reject) => {
      const end = () => reject(new DOMException("late", "TimeoutError"));
      hanging.push({ at: Date.now() + TIMEOUT_MS, end });
    });
  const reset = () => Promise.reject(new TypeError("reset"));
  const redirect = () => new Response(null, { status: 302, headers: { location: "/" } });
  hooks.reply = () => {
    const draw = random();
    if (draw < 0.3) return fails();
    if (draw < 0.38) return hang();
    if (draw < 0.44) return redirect();
    if (draw < 0.5) return reset();
    return new Response("x".repeat(500_000));
  };
  for (let i = 0; i < ENDPOINTS; i++) {
    await hooks.subscribe(["suggestion.created"], `https://receiver-${i}.example/`);
  }
  // Time runs only between batches, and up to `end`.
  const step = async (end: number): Promise<boolean> => {
    const { sentDeliveries } = harness;
    const times = [...sentDeliveries, ...hanging].map(({ at }) => at);
    const next = Math.min(...times);
    if (times.length === 0 || next > end) return false;
    vi.setSystemTime(Math.max(Date.now(), next));
    const isOver = ({ at }: { at: number }) => at <= Date.now();
    const over = hanging.filter(isOver);
    for (const { end } of over) end();
    for (const one of over) hanging.splice(hanging.indexOf(one), 1);
    if (over.length > 0) await scheduler.wait(20);
    const batch = sentDeliveries.filter(isOver).slice(0, BATCH_SIZE);
    for (const one of batch) sentDeliveries.splice(sentDeliveries.indexOf(one), 1);
    const messages = batch.map(({ message }) => message);
    if (messages.length > 0) await harness.consume(messages, "akimbo-webhooks");
    return true;
  };
  for (let i = 0; i < EVENTS; i++) {
    await hooks.call("POST", "/suggestions", { title: "Idea" });
    while (await step(Date.now() + EVENT_EVERY_MS));
    harness.advance(EVENT_EVERY_MS / SECOND);
  }
  while (await step(Number.POSITIVE_INFINITY));
  await harness.settle();
  expect(await hooks.count("deliveries")).toBe(0);
  const { results } = await env.DB.prepare(
    "SELECT * FROM attempts WHERE team_id = ? ORDER BY webhook_id, event_id, attempt",
  )
    .bind(hooks.member.teamId)
    .all<Row>();
  // Three failed events had switched the webhook off.
  const isSkipped = ({ error }: Row) => error?.startsWith("Not sent") ?? false;
  const skipped = results.filter(isSkipped).length;
  expect(results.length - skipped).toBe(hooks.arrivals.length);
  const byDelivery = Map.groupBy(results, (row) => `${row.webhook_id} ${row.event_id}`);
  expect(byDelivery.size).toBe(ENDPOINTS * EVENTS);
  /** The endpoint has two unanswered requests. */
  const isHeldUp = ({ webhook_id, created_at, duration_ms }: Row): boolean => {
    const at = created_at - duration_ms - MAX_LATE_MS;
    const isOpen = (row: Row) => row.created_at - row.duration_ms <= at && row.created_at >= at;
    return results.filter((row) => row.webhook_id === webhook_id && isOpen(row)).length >= 2;
  };
  let latest = 0;
  let heldUp = 0;
  let exhausted = 0;
  for (const rows of byDelivery.values()) {
    expect(rows.map(({ attempt }) => attempt)).toEqual(rows.map((_, i) => i + 1));
    const last = rows.at(-1);
    if (!last) throw new Error("A delivery is not in the log.");
    expect(last.success === 1 || rows.length === 6 || isSkipped(last)).toBe(true);
    if (!last.success && !isSkipped(last)) exhausted++;
    for (const [i, delay] of DELAYS.entries()) {
      const [earlier, later] = rows.slice(i, i + 2);
      if (!earlier || !later) continue;
      const waited = later.created_at - later.duration_ms - earlier.created_at;
      expect(waited).toBeGreaterThanOrEqual(delay);
      const lateMs = waited - delay * (1 + MAX_JITTER);
      if (lateMs > MAX_LATE_MS && isHeldUp(later)) heldUp++;
      else latest = Math.max(latest, lateMs);
    }
  }
  const longest = Math.max(...results.map(({ duration_ms }) => duration_ms));
  expect(longest).toBeLessThanOrEqual(LONGEST_ATTEMPT_MS);
  expect(latest).toBeLessThanOrEqual(MAX_LATE_MS);
  console.log(
    `${results.length} attempts, ${exhausted} deliveries exhausted, ${skipped} skipped, at most ${latest} ms late but for ${heldUp} that were held up, longest ${longest} ms.`,
  );
}, 600_000);
