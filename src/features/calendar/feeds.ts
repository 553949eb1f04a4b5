import { AppError, notFound } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import { linkToken, readLinkToken } from "../../core/link-token.ts";
import { sha256Hex } from "../../core/signature.ts";
import { DAY } from "../../core/time.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { platformName } from "../../platforms/registry.ts";
import { activityLine, INSERTED } from "../activity/repo.ts";
import { look, once } from "../idempotency/once.ts";
import { type FeedEvent, writeFeed } from "./ics.ts";
import { deleteFeed, feedsOfTeam, insertFeed, teamIdOfFeed, teamOfFeed } from "./repo/feeds.ts";
import { accountsOfTeam, namesOf, type PlacedPost, postsBetween } from "./repo/posts.ts";
import { MAX_ENTRIES, MAX_FEEDS } from "./rules.ts";
import type { FeedRow } from "./table.ts";

export { feedsOfTeam };

const LOOKS_BACK_MS = 30 * DAY;
const LOOKS_AHEAD_MS = 90 * DAY;

export const feedPath = async ({ config }: Pick<Deps, "config">, id: number): Promise<string> =>
  `/calendar/${await linkToken(config.signingKey, "calendar feed", id)}.ics`;

export const mayEnd = ({ actor }: Pick<Ctx, "actor">, { createdBy }: FeedRow): boolean =>
  actor.role !== "MEMBER" || createdBy === actor.userId;

export async function listFeeds(ctx: Ctx): Promise<FeedRow[]> {
  const [feeds] = await ctx.read("posts:read", [feedsOfTeam({ team: ctx.team })]);
  return feeds;
}

/** @throws AppError PLAN_LIMIT, and the errors of `once` */
export async function createFeed(
  ctx: Ctx,
  call: NamedCall | null,
): Promise<{ feed: FeedRow; path: string }> {
  const { result: feed } = await once<null, FeedRow>(ctx, call, () => null, {
    look: async (losses) => {
      // After a loss, a token that was revoked meanwhile is refused here.
      const { stored } = await look(ctx, "posts:write", call, []);
      if (losses > 0 && !stored) throw tooManyFeeds();
      return { findings: null, stored };
    },
    make: async (_, { isNew, keep }) => {
      const { teamId, userId: createdBy, tokenId } = ctx.actor;
      const [[feed]] = await ctx.db.run([
        insertFeed({ teamId, createdBy, tokenId, createdAt: ctx.now() }, isNew),
        activityLine(ctx, "calendar_feed.created", INSERTED),
        ...keep(null, INSERTED),
      ]);
      return feed ?? null;
    },
    replay: async ({ firstUploadId }) => {
      const feed = (await listFeeds(ctx)).find(({ id }) => id === firstUploadId);
      if (!feed) throw notFound("Feed");
      return feed;
    },
  });
  return { feed, path: await feedPath(ctx, feed.id) };
}

const tooManyFeeds = (): AppError =>
  new AppError(
    "PLAN_LIMIT",
    `The team has ${MAX_FEEDS} calendar feeds, which is the most. Revoke one, then make a new one.`,
  );

/** @throws AppError NOT_FOUND, FORBIDDEN */
export async function endFeed(ctx: Ctx, id: number): Promise<void> {
  const [feeds] = await ctx.read("posts:write", [feedsOfTeam({ team: ctx.team })]);
  const feed = feeds.find((one) => one.id === id);
  if (!feed) throw notFound("Feed");
  if (!mayEnd(ctx, feed)) {
    throw new AppError(
      "FORBIDDEN",
      "Another person made this feed. Ask them, an owner or an admin to revoke it.",
    );
  }
  await ctx.db.run([deleteFeed(feed.teamId, id), activityLine(ctx, "calendar_feed.ended", id)]);
}

export interface FeedFile {
  text: string;
  /** The same for the same posts, whenever the feed is made. */
  etag: string;
}

/** Returns null for a token that is forged or has ended. A forged one costs no database call. */
export async function findFeedFile(
  deps: Deps,
  origin: string,
  token: string,
): Promise<FeedFile | null> {
  const id = await readLinkToken(deps.config.signingKey, "calendar feed", token);
  if (id === null) return null;
  const now = deps.now().getTime();
  const range = { from: now - LOOKS_BACK_MS, until: now + LOOKS_AHEAD_MS };
  const team = teamIdOfFeed(id);
  const [[found], accounts, ...posts] = await deps.db.run([
    teamOfFeed({ id }),
    accountsOfTeam({ team }),
    postsBetween(team, { status: "scheduled" }, range),
    postsBetween(team, { status: "pending" }, range),
    postsBetween(team, { status: "processing" }, range),
    postsBetween(team, { status: "completed" }, range),
  ]);
  if (!found) return null;
  const names = namesOf(accounts);
  const events = posts
    .flat()
    .slice(0, MAX_ENTRIES)
    .sort((one, other) => one.at - other.at)
    .map((placed) => toEvent(origin, placed, names));
  const name = `${found.name} · Akimbo`;
  const content = JSON.stringify([name, events]);
  return {
    text: writeFeed({ name, events, madeAt: now }),
    etag: `W/"${(await sha256Hex(content)).slice(0, 32)}"`,
  };
}

function toEvent(
  origin: string,
  { at, post }: PlacedPost,
  names: ReadonlyMap<string, string>,
): FeedEvent {
  const account = `${names.get(post.accountId) ?? "A removed account"} (${platformName(post.platform)})`;
  const text = post.text.length > 0 ? post.text : "Without text";
  const url = `${origin}/app/uploads/${post.id}`;
  const state = post.unpublishedAt
    ? "Taken down"
    : post.status === "completed"
      ? "Published"
      : "Scheduled";
  return {
    uid: `upload-${post.id}@${new URL(origin).hostname}`,
    at,
    summary: `${account}: ${text}`,
    description: `${state} on ${account}\n${text}\n${url}`,
    url,
  };
}
