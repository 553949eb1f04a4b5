import { AppError, notFound } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { firstIdSince } from "../../core/ids.ts";
import { MAX_REPLAYED } from "../../core/webhooks.ts";
import type { Ctx, Role } from "../../deps.ts";
import { tryToWakeDeliveries, whenDue } from "../../queue/wake.ts";
import { activityLine, INSERTED } from "../activity/repo.ts";
import { requireMayEnd, requireOneOf } from "../auth/rules.ts";
import type { EventName } from "../events/catalogue.ts";
import { emit } from "../events/repo.ts";
import { type Done, look, once } from "../idempotency/once.ts";
import { ALWAYS_NEW } from "../idempotency/repo.ts";
import * as log from "./repo/deliveries.ts";
import * as repo from "./repo/webhooks.ts";
import { MAX_WEBHOOKS } from "./rules.ts";
import { type NewWebhook, requireTarget, toWebhook } from "./schema.ts";
import { newSecret, openSecret, sealSecret } from "./secrets.ts";

/** Source: spec, "Webhook management". */
const MANAGERS: readonly Role[] = ["OWNER", "ADMIN"];

const requireManager = ({ actor }: Ctx, does: string): void =>
  requireOneOf(actor, MANAGERS, `Only the owner and admins of a team ${does} webhooks.`);

export async function listWebhooks(ctx: Ctx): Promise<repo.WebhookRow[]> {
  const [rows] = await ctx.read("webhooks:read", [repo.webhooksOf(ctx.team)]);
  return rows;
}

type Created = ReturnType<typeof toWebhook> & { secret: string };

/** The secret stays encrypted. */
interface Remembered {
  id: number;
  url: string;
  events: EventName[];
  createdAt: number;
  sealed: string;
}

/**
 * Only this answer contains the secret.
 *
 * @throws AppError FORBIDDEN for a member; 400 for a forbidden address; PLAN_LIMIT; refusals of the Idempotency-Key
 */
export async function createWebhook(
  ctx: Ctx,
  { url, events, secret: ownSecret }: NewWebhook,
  call: NamedCall | null,
): Promise<Done<Created>> {
  const bodyOf = () => [url, events, ownSecret ?? null];
  const { result, isReplayed } = await once<number, Remembered>(ctx, call, bodyOf, {
    look: async () => {
      const { findings, stored } = await look(ctx, "webhooks:write", call, [
        repo.countOf(ctx.team),
      ]);
      requireManager(ctx, "create");
      requireTarget(url, ctx.config);
      return { findings: findings[0][0] ?? 0, stored };
    },
    make: async (count, { isNew, keep }) => {
      if (count >= MAX_WEBHOOKS) throw tooMany();
      const { teamId } = ctx.actor;
      const createdAt = ctx.now();
      const sealed = await sealSecret(ctx, teamId, ownSecret ?? newSecret());
      const remembered = { url, events, sealed, createdAt: createdAt.getTime() };
      const row = { teamId, url, events, secret: sealed, createdAt };
      const [[id]] = await ctx.db.run([
        repo.insertWebhook(row, isNew),
        activityLine(ctx, "webhook.created", INSERTED),
        ...keep(remembered, repo.NEW_ID),
      ]);
      return id === undefined ? null : { ...remembered, id };
    },
    replay: ({ answer, firstUploadId }) => ({
      ...(answer as Omit<Remembered, "id">),
      id: firstUploadId ?? 0,
    }),
  });
  const { sealed, createdAt, ...rest } = result;
  const at = new Date(createdAt);
  const webhook = toWebhook({
    ...rest,
    isActive: true,
    failureCount: 0,
    createdAt: at,
    updatedAt: at,
  });
  const secret = await openSecret(ctx, ctx.actor.teamId, sealed);
  return { result: { ...webhook, secret }, isReplayed };
}

const tooMany = (): AppError =>
  new AppError(
    "PLAN_LIMIT",
    `A team has at most ${MAX_WEBHOOKS} webhooks. Delete one, or subscribe one to more events.`,
  );

/** @throws AppError NOT_FOUND; FORBIDDEN for a member whose posts need approval */
export async function deleteWebhook(ctx: Ctx, id: number): Promise<void> {
  await ctx.read("webhooks:write", []);
  requireMayEnd(ctx.actor, "webhook");
  const [deleted] = await ctx.db.run([
    repo.deleteWebhook(ctx.actor.teamId, id, ctx.now()),
    activityLine(ctx, "webhook.deleted", id),
  ]);
  if (deleted === 0) throw notFound("Webhook");
}

/**
 * Switching a webhook on resets its failures. Events emitted while it is off are never sent.
 *
 * @throws AppError NOT_FOUND; FORBIDDEN for a member who switches it on, or whose posts need approval
 */
export async function switchWebhook(ctx: Ctx, id: number, isActive: boolean) {
  await ctx.read("webhooks:write", []);
  if (isActive) requireManager(ctx, "switch on");
  else requireMayEnd(ctx.actor, "webhook");
  const { teamId } = ctx.actor;
  const [, , [row]] = await ctx.db.run([
    repo.switchWebhook(teamId, id, { isActive, at: ctx.now() }),
    activityLine(ctx, isActive ? "webhook.resumed" : "webhook.paused", id),
    repo.findWebhook(teamId, id),
  ]);
  if (!row) throw notFound("Webhook");
  return row;
}

/** @throws AppError FORBIDDEN for a member; NOT_FOUND */
export async function rotateSecret(ctx: Ctx, id: number): Promise<string> {
  await ctx.read("webhooks:write", []);
  requireManager(ctx, "rotate the secrets of");
  const { teamId } = ctx.actor;
  const secret = newSecret();
  const sealed = await sealSecret(ctx, teamId, secret);
  const [changed] = await ctx.db.run([
    repo.setSecret(teamId, id, { secret: sealed, at: ctx.now() }),
    activityLine(ctx, "webhook.secret_rotated", id),
  ]);
  if (changed === 0) throw notFound("Webhook");
  return secret;
}

/** @throws AppError NOT_FOUND */
export async function testWebhook(ctx: Ctx, id: number): Promise<void> {
  const [[webhook]] = await ctx.read("webhooks:write", [repo.findWebhook(ctx.team, id)]);
  if (!webhook) throw notFound("Webhook");
  const { teamId } = webhook;
  const now = ctx.now();
  const eventId = ctx.newEventId();
  const data = { webhookId: id, message: "This is a test. Nothing happened." };
  const clock = { now: () => now, newEventId: () => eventId };
  await ctx.db.run([
    emit(clock, { team: teamId, name: "webhook.ping", data }, ALWAYS_NEW),
    log.insertDelivery({ eventId, webhookId: id, teamId, kind: "test" }, now),
  ]);
  await tryToWakeDeliveries(ctx, [whenDue([now.getTime(), eventId])]);
}

/** @throws AppError NOT_FOUND */
export async function listDeliveries(ctx: Ctx, id: number, limit: number) {
  const [[webhook], rows] = await ctx.read("webhooks:read", [
    repo.findWebhook(ctx.team, id),
    repo.attemptsOf(ctx.team, id, { limit }),
  ]);
  if (!webhook) throw notFound("Webhook");
  return rows;
}

/**
 * Returns the event's id.
 *
 * @throws AppError FORBIDDEN for a member; NOT_FOUND, also for an expired event; WEBHOOK_DISABLED
 */
export async function replayDelivery(ctx: Ctx, id: number, deliveryId: string): Promise<string> {
  const [[webhook], [attempt]] = await ctx.read("webhooks:write", [
    repo.findWebhook(ctx.team, id),
    repo.findAttempt(ctx.team, id, deliveryId),
  ]);
  requireManager(ctx, "replay events to");
  if (!webhook) throw notFound("Webhook");
  if (!attempt || attempt.data === null) throw notFound("Delivery");
  requireActive(webhook);
  const { eventId } = attempt;
  const { teamId } = webhook;
  const replay = { eventId, webhookId: id, teamId, kind: "replay" } as const;
  let at = ctx.now();
  // Two replays in one millisecond would share a key.
  while ((await ctx.db.run([log.insertDelivery(replay, at)]))[0] === 0) {
    at = new Date(at.getTime() + 1);
  }
  await tryToWakeDeliveries(ctx, [whenDue([at.getTime(), eventId])]);
  return eventId;
}

/** @throws AppError WEBHOOK_DISABLED */
function requireActive({ isActive }: repo.WebhookRow): void {
  if (isActive) return;
  throw new AppError(
    "WEBHOOK_DISABLED",
    "The webhook is switched off. Switch it on with PATCH /webhooks/{id}, then replay.",
  );
}

/** @throws AppError FORBIDDEN for a member; NOT_FOUND; WEBHOOK_DISABLED */
export async function replayFailed(ctx: Ctx, id: number, since: Date): Promise<number> {
  const [[webhook]] = await ctx.read("webhooks:write", [repo.findWebhook(ctx.team, id)]);
  requireManager(ctx, "replay events to");
  if (!webhook) throw notFound("Webhook");
  requireActive(webhook);
  const at = ctx.now().getTime();
  const [eventIds] = await ctx.db.run([
    log.replayFailed({
      webhookId: id,
      team: webhook.teamId,
      from: firstIdSince("dlv", since),
      at,
      max: MAX_REPLAYED,
    }),
  ]);
  await tryToWakeDeliveries(
    ctx,
    eventIds.map((eventId) => whenDue([at, eventId])),
  );
  return eventIds.length;
}
