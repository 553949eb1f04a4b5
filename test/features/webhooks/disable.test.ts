import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Harness } from "../../support/harness.ts";
import {
  type Arrival,
  fails,
  forgetStoredEvents,
  Hooks,
  signatureOf,
  succeeds,
} from "../../support/hooks.ts";

afterEach(forgetStoredEvents);

let hooks: Hooks;
let harness: Harness;
let id: number;

beforeEach(async () => {
  hooks = await Hooks.open();
  harness = hooks.harness;
  ({ id } = await hooks.subscribe());
});

const end = async () => {
  await harness.drainEvents();
  await harness.drainNotices();
  harness.advance(1);
};

const STEPS = {
  exhausted: async () => {
    hooks.reply = fails;
    await hooks.suggest();
    await end();
  },
  success: async () => {
    hooks.reply = succeeds;
    await hooks.suggest();
    await end();
  },
  "late success": async () => {
    hooks.replies = [fails, fails, fails, fails, fails, succeeds];
    await hooks.suggest();
    await end();
  },
  "failed ping": async () => {
    hooks.reply = fails;
    await hooks.call("POST", `/webhooks/${id}/test`);
    await end();
  },
  "good ping": async () => {
    hooks.reply = succeeds;
    await hooks.call("POST", `/webhooks/${id}/test`);
    await end();
  },
  "failed replay": async () => {
    hooks.reply = fails;
    await replay();
    await end();
  },
  "good replay": async () => {
    hooks.reply = succeeds;
    await replay();
    await end();
  },
  "off and on": async () => {
    await hooks.call("PATCH", `/webhooks/${id}`, { isActive: false });
    await hooks.call("PATCH", `/webhooks/${id}`, { isActive: true });
    harness.advance(1);
  },
  "on again": async () => {
    await hooks.call("PATCH", `/webhooks/${id}`, { isActive: true });
    harness.advance(1);
  },
} as const;

type Step = keyof typeof STEPS;

async function replay() {
  const [attempt] = await hooks.log(id);
  return hooks.call("POST", `/webhooks/${id}/deliveries/${attempt.id}/replay`);
}

const THREE = ["exhausted", "exhausted", "exhausted"] as const;

test.each<[Step[], failureCount: number, isActive: boolean]>([
  [["exhausted"], 1, true],
  [["exhausted", "exhausted"], 2, true],
  [[...THREE], 3, false],
  [["exhausted", "exhausted", "success"], 0, true],
  [["exhausted", "exhausted", "late success"], 0, true],
  [["exhausted", "exhausted", "success", "exhausted"], 1, true],
  [["exhausted", "success", "exhausted", "exhausted"], 2, true],
  [["success", ...THREE], 3, false],
  [["exhausted", "exhausted", "failed ping"], 2, true],
  [["exhausted", "exhausted", "good ping", "exhausted"], 3, false],
  [["exhausted", "exhausted", "failed replay"], 2, true],
  [["exhausted", "exhausted", "good replay", "exhausted"], 3, false],
  [["exhausted", "exhausted", "off and on"], 0, true],
  [["exhausted", "exhausted", "off and on", "exhausted", "exhausted"], 2, true],
  [[...THREE, "exhausted"], 3, false],
  [[...THREE, "good ping"], 3, false],
  [[...THREE, "on again"], 0, true],
  [[...THREE, "on again", "exhausted", "exhausted"], 2, true],
  [[...THREE, "on again", ...THREE], 3, false],
])("after %j it has %i failures, and is switched on: %s", async (steps, failureCount, isActive) => {
  for (const step of steps) await STEPS[step]();
  expect(await hooks.webhook(id)).toMatchObject({ failureCount, isActive });
  const mails = harness.logs.filter((entry) => "to" in entry).length;
  const timesOff = steps.join().split(THREE.join()).length - 1;
  const isSplit = steps.some((step) => step.startsWith("good"));
  expect(mails).toBe(isSplit && !isActive && timesOff === 0 ? 1 : timesOff);
  const { status, body } = await replay();
  if (isActive) expect(status).toBe(200);
  else expect([status, body.code]).toEqual([409, "WEBHOOK_DISABLED"]);
  expect(await waitingBeside()).toBe(isActive ? 1 : 0);
});

const waitingBeside = () => hooks.count("deliveries");

test("what waits when it is switched off is closed as skipped, and counts nothing", async () => {
  hooks.reply = fails;
  for (let i = 0; i < 4; i++) await hooks.suggest();
  await harness.deliverEvents();
  await env.DB.prepare(
    `UPDATE deliveries SET attempt = 6 WHERE (due_at, event_id) IN
      (SELECT due_at, event_id FROM deliveries WHERE team_id = ?1 ORDER BY due_at LIMIT 3)`,
  )
    .bind(hooks.member.teamId)
    .run();
  await harness.drainEvents();
  expect(await hooks.webhook(id)).toMatchObject({ isActive: false });
  expect(await hooks.count("deliveries")).toBe(0);
  const log = await hooks.log(id);
  const skipped = log.filter(({ error }: { error: string }) => error.includes("switched off"));
  expect(skipped.length).toBeLessThanOrEqual(1);
  expect(log.length).toBe(hooks.arrivals.length + skipped.length);
});

test("a secret that is rotated between two attempts signs the later one, not the earlier", async () => {
  const isSignedBy = async (secret: string, i: number) => {
    const arrival = hooks.arrivals[i] as Arrival;
    return arrival.headers.get("x-webhook-signature") === (await signatureOf(secret, arrival));
  };
  const { id: other, secret: old } = await hooks.subscribe(["suggestion.updated"]);
  hooks.replies = [fails];
  await hooks.storeEvents(1, "suggestion.updated");
  harness.advance(61);
  await harness.tick();
  await harness.deliverEvents();
  const { body } = await hooks.call("POST", `/webhooks/${other}/rotate-secret`);
  const fresh = body.data.secret;
  await harness.drainEvents();
  const signs = [0, 1].flatMap((i) => [isSignedBy(old, i), isSignedBy(fresh, i)]);
  expect(await Promise.all(signs)).toEqual([true, false, false, true]);
});
