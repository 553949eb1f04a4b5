import { AppError, fieldError, invalidFields, notFound } from "../../core/errors.ts";
import { coversScope } from "../../core/scopes.ts";
import type { Ctx } from "../../deps.ts";
import { wakeFeeds } from "../../queue/wake.ts";
import { accountsOfTeam } from "../accounts/repo.ts";
import { activityLine, INSERTED } from "../activity/repo.ts";
import { mayUse } from "../auth/rules.ts";
import { mayPublish } from "../posts/rules.ts";
import { refusedFeedUrl } from "./fetch-feed.ts";
import { withKeys } from "./keys.ts";
import * as repo from "./repo.ts";
import { nextCheck } from "./rules.ts";
import type { FeedChange, NewFeed } from "./schema.ts";
import type { FeedRow } from "./table.ts";

/** Spec is silent. */
const MAX_FEEDS = 100;

export async function listFeeds(ctx: Ctx): Promise<FeedRow[]> {
  const [rows] = await ctx.read("posts:read", [repo.feedsOfTeam({ team: ctx.team })]);
  return rows.filter(({ accountIds }) => accountIds.every((id) => mayUse(ctx.actor, id)));
}

/**
 * Entries that the feed has already make no posts.
 *
 * @throws AppError 400 for an address without a feed and for an unknown account
 */
export async function addFeed(ctx: Ctx, feed: NewFeed, origin: string): Promise<FeedRow> {
  const accountIds = [...new Set(feed.accountIds)];
  await requireAccounts(ctx, accountIds);
  const { template, status, picture: takesPicture } = feed;
  await requireTaken(ctx, { accountIds, template, takesPicture, origin });
  const { keys, ...source } = await readAt(ctx, feed.url);
  await requireOnce(ctx, { id: null, url: source.url, accountIds });
  const now = ctx.now();
  const row = {
    ...ownerOf(ctx),
    accountIds,
    template,
    status,
    takesPicture,
    origin,
    ...source,
    isActive: true,
    createdAt: now,
    checkedAt: now,
    nextAt: nextCheck(now, 0),
    failures: 0,
    problem: null,
  };
  const [[created]] = await ctx.db.run([
    repo.insertFeed(row, MAX_FEEDS),
    activityLine(ctx, "feed.added", INSERTED),
    repo.keepFirstKeys(ctx.actor.teamId, keys, now),
  ]);
  if (created) return created;
  throw new AppError(null, `A team has at most ${MAX_FEEDS} feeds. Delete one first.`);
}

/** @throws AppError NOT_FOUND, and what `addFeed` throws */
export async function changeFeed(ctx: Ctx, id: number, change: FeedChange): Promise<FeedRow> {
  const before = await findOwn(ctx, id);
  const { url, template, status, picture, isActive } = change;
  const accountIds = change.accountIds && [...new Set(change.accountIds)];
  if (accountIds) await requireAccounts(ctx, accountIds);
  const isSwitch = Object.keys(change).every((field) => field === "isActive");
  if (!isSwitch || isActive) {
    await requireTaken(ctx, {
      accountIds: accountIds ?? before.accountIds,
      template: template ?? before.template,
      takesPicture: picture ?? before.takesPicture,
      origin: before.origin,
    });
  }
  const source = url !== undefined && url !== before.url ? await readAt(ctx, url) : null;
  if (source || accountIds) {
    await requireOnce(ctx, {
      id,
      url: source?.url ?? before.url,
      accountIds: accountIds ?? before.accountIds,
    });
  }
  const now = ctx.now();
  // Who may not publish does not start what publishes in another's name.
  const staysOwned = isSwitch && (!isActive || mayPublish(ctx.actor)) && (await hasPerson(ctx, id));
  const set: Partial<FeedRow> = {
    ...(staysOwned ? {} : ownerOf(ctx)),
    ...(accountIds === undefined ? {} : { accountIds }),
    ...(template === undefined ? {} : { template }),
    ...(status === undefined ? {} : { status }),
    ...(picture === undefined ? {} : { takesPicture: picture }),
    ...(isActive === undefined ? {} : { isActive }),
    ...(isActive === true && !before.isActive ? { nextAt: now, failures: 0, problem: null } : {}),
    ...(source
      ? {
          url: source.url,
          etag: source.etag,
          lastModified: source.lastModified,
          checkedAt: now,
          nextAt: nextCheck(now, 0),
          failures: 0,
          problem: null,
        }
      : {}),
  };
  const [[changed]] = await ctx.db.run([
    repo.updateFeed(ctx.team, id, set),
    activityLine(ctx, "feed.changed", id),
    repo.keepKeys(before, source?.keys ?? [], { now, againMs: 0 }),
  ]);
  if (!changed) throw notFound("Feed");
  if (changed.isActive && changed.nextAt <= now) await wakeFeeds(ctx, 0);
  return changed;
}

/** @throws AppError NOT_FOUND */
export async function deleteFeed(ctx: Ctx, id: number): Promise<void> {
  await findOwn(ctx, id);
  await ctx.db.runAll([...repo.deleteFeed(ctx.team, id), activityLine(ctx, "feed.deleted", id)]);
}

async function findOwn(ctx: Ctx, id: number): Promise<FeedRow> {
  const [[feed]] = await ctx.read("posts:write", [repo.feedById({ team: ctx.team, id })]);
  if (!feed?.accountIds.every((one) => mayUse(ctx.actor, one))) throw notFound("Feed");
  return feed;
}

/** False when the person whose posts they are has left the team. */
async function hasPerson(ctx: Ctx, id: number): Promise<boolean> {
  const [[feed]] = await ctx.db.run([repo.dueFeedById(id)]);
  return feed !== undefined && feed.role !== null;
}

/** The posts are of the person who saved the feed last; a switch alone saves nothing. */
const ownerOf = ({ actor }: Ctx): Pick<FeedRow, "teamId" | "createdBy" | "mayPublish"> => ({
  teamId: actor.teamId,
  createdBy: actor.userId,
  mayPublish: coversScope(actor.scopes, "posts:publish"),
});

async function requireAccounts(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const [accounts] = await ctx.read("posts:write", [accountsOfTeam(ctx.team, {})]);
  const usable = accounts.map(({ id }) => id).filter((id) => mayUse(ctx.actor, id));
  const unknown = ids.find((id) => !usable.includes(id));
  if (unknown === undefined) return;
  const message = `${unknown.slice(0, 100)} is no account of the team. GET /accounts lists yours.`;
  throw invalidFields([fieldError("accountIds", message)]);
}

/** Two feeds of one address would post each entry twice. */
async function requireOnce(
  ctx: Ctx,
  { id, url, accountIds }: { id: number | null } & Pick<FeedRow, "url" | "accountIds">,
): Promise<void> {
  const [feeds] = await ctx.read("posts:write", [repo.feedsOfTeam({ team: ctx.team })]);
  const same = feeds.find(
    (feed) =>
      feed.id !== id &&
      feed.url === url &&
      feed.accountIds.some((accountId) => accountIds.includes(accountId)),
  );
  if (!same) return;
  const message = `feed ${same.id} brings it to one of these accounts already. Change that feed.`;
  throw invalidFields([fieldError("url", message)]);
}

async function readAt(ctx: Ctx, address: string) {
  const refusal = refusedFeedUrl(ctx, address);
  if (refusal) throw invalidFields([fieldError("url", `${refusal}.`)]);
  const { findFeed } = await import("./find-feed.ts");
  const { entries, ...source } = await findFeed(ctx, withoutFragment(address));
  const keyed = await withKeys(entries);
  return { ...source, keys: keyed.flatMap(({ keys }) => keys) };
}

/** No server sees a fragment, so it makes no other feed. */
const withoutFragment = (address: string): string => address.split("#")[0] ?? "";

/** Refuses accounts for which a feed's entries can never be posts, such as those of a platform that wants a video. */
async function requireTaken(
  ctx: Ctx,
  feed: Pick<FeedRow, "accountIds" | "template" | "takesPicture" | "origin">,
): Promise<void> {
  const { sampleRefusal } = await import("./sample.ts");
  const refusal = await sampleRefusal(ctx, feed);
  if (refusal) throw invalidFields([fieldError(refusal.field, refusal.message)]);
}
