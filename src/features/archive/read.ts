import { AppError, invalidFields } from "../../core/errors.ts";
import type { UploadFilter } from "../../core/upload-filter.ts";
import type { Ctx, Deps } from "../../deps.ts";
import type { AccountRow } from "../accounts/table.ts";
import { mayUse } from "../auth/rules.ts";
import type { MediaRef, UploadRow, UploadWithAccount } from "../posts/table.ts";
import { readMember } from "./members.ts";
import { accountsOf, membersAround, membersOfMonth, storedHashes } from "./repo.ts";
import {
  byDate,
  hasId,
  isOutside,
  matcherOf,
  matchesWhole,
  monthOf,
  type Stretch,
  stretchesOf,
} from "./rules.ts";
import type { MemberSpan } from "./table.ts";

/**
 * Members that one call reads. More are too much for the subrequests of the free plan, or the time and the memory of
 * any.
 */
const MAX_MEMBERS = 32;
/** Source: Workers, "Limits": simultaneous open connections. */
const AT_ONCE = 6;

export interface ArchivedPage {
  posts: UploadWithAccount[];
  total: number;
}

/**
 * Lists the archived posts of a month, most recent first, with the total count.
 *
 * @throws AppError 400 when too much of the month would have to be read, UNAVAILABLE for a damaged archive
 */
export async function listArchived(
  ctx: Ctx,
  month: string,
  requested: UploadFilter,
): Promise<ArchivedPage> {
  const [members] = await ctx.read("posts:read", [membersOfMonth({ team: ctx.team, month })]);
  const { accounts } = ctx.actor;
  const filter = accounts === null ? requested : { ...requested, accounts };
  const { posts, total } = await searchMonth(ctx, month, filter, members);
  const whole = await withAccounts(ctx, posts);
  return { posts: whole.map(({ found }) => found), total };
}

interface Found {
  posts: UploadRow[];
  total: number;
}

async function searchMonth(
  deps: Pick<Deps, "media" | "log">,
  month: string,
  filter: UploadFilter,
  members: readonly MemberSpan[],
): Promise<Found> {
  const skipped = (filter.page - 1) * filter.limit;
  const end = skipped + filter.limit;
  const stretches = stretchesOf(members.filter((one) => !isOutside(filter, one))).map(
    (stretch) => ({ stretch, isWhole: matchesWhole(filter, stretch) }),
  );
  const room = { members: MAX_MEMBERS, month };
  for (const { stretch, isWhole } of stretches) {
    if (!isWhole) takeRoom(room, stretch.members.length);
  }
  const posts: UploadRow[] = [];
  let total = 0;
  for (const { stretch, isWhole } of stretches) {
    const isShown = total < end && total + stretch.posts > skipped;
    if (isWhole && !isShown) {
      total += stretch.posts;
      continue;
    }
    const found = await readStretch(deps, stretch, {
      matches: matcherOf(filter),
      wanted: Math.max(0, end - total),
      room: isWhole ? room : null,
    });
    posts.push(...found.posts.slice(Math.max(0, skipped - total), end - total));
    total += isWhole ? stretch.posts : found.total;
  }
  return { posts, total };
}

interface Task {
  matches(post: UploadRow): boolean;
  /** Only so many of the most recent matches are kept. */
  wanted: number;
  /** Reading ends with the last wanted post, and takes its room as it goes. Null: every member is read. */
  room: Room | null;
}

interface Room {
  members: number;
  month: string;
}

async function readStretch(
  deps: Pick<Deps, "media" | "log">,
  { members }: Stretch,
  { matches, wanted, room }: Task,
): Promise<Found> {
  let posts: UploadRow[] = [];
  let total = 0;
  for (let i = 0; i < members.length; i += AT_ONCE) {
    const next = members[i];
    const last = posts[wanted - 1];
    if (room && next && last && last.sortAt > next.lastAt) break;
    const some = members.slice(i, i + AT_ONCE);
    if (room) takeRoom(room, some.length);
    const read = await Promise.all(some.map((member) => readMember(deps, member)));
    const found = read.flat().filter(matches);
    total += found.length;
    posts = [...posts, ...found].sort(byDate).slice(0, wanted);
  }
  return { posts, total };
}

/** @throws AppError 400 */
function takeRoom(room: Room, members: number): void {
  room.members -= members;
  if (room.members >= 0) return;
  const message = `archived: ${room.month} has more posts than one call can search. Ask for some days of it with startDate and endDate.`;
  throw invalidFields([{ field: "archived", message }]);
}

/** Marks files that are no longer stored: posts in the archive cannot be changed when a file goes. */
async function withAccounts(
  { db, team }: Ctx,
  posts: readonly UploadRow[],
): Promise<ArchivedPost[]> {
  if (posts.length === 0) return [];
  const hashes = posts.flatMap(({ media }) => media.flatMap(hashOf));
  const ids = [...new Set(posts.map(({ accountId }) => accountId))];
  const [accounts, stored] = await db.run([
    accountsOf(team, ids),
    storedHashes(team, [...new Set(hashes)]),
  ]);
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const isStored = new Set(stored);
  return posts.map((post) => {
    const account = byId.get(post.accountId);
    const media = post.media.map((item): MediaRef => {
      const [hash] = hashOf(item);
      return hash === undefined || isStored.has(hash) ? item : { ...item, isGone: true };
    });
    const found: UploadWithAccount = {
      upload: { ...post, media },
      account: account
        ? {
            id: account.id,
            platform: account.platform,
            accountName: account.accountName,
            profileImageUrl: account.profileImageUrl,
            tags: account.tags,
          }
        : null,
      reviewLink: null,
      archived: monthOf(post.sortAt),
    };
    return { post, found, account: account ?? null };
  });
}

const hashOf = (item: MediaRef): string[] => ("sha256" in item ? [item.sha256] : []);

async function memberOf(ctx: Ctx, id: number): Promise<MemberSpan | null> {
  const [members] = await ctx.db.run([membersAround({ team: ctx.team, id })]);
  return members.find(({ ids }) => hasId(ids, id)) ?? null;
}

/**
 * Finds an archived post of the authenticated caller's team.
 *
 * @throws AppError UNAVAILABLE for a damaged archive
 */
export async function findArchived(ctx: Ctx, id: number): Promise<ArchivedPost | null> {
  const member = await memberOf(ctx, id);
  if (!member) return null;
  const post = (await readMember(ctx, member)).find((one) => one.id === id);
  if (!post || !mayUse(ctx.actor, post.accountId)) return null;
  const [archived = null] = await withAccounts(ctx, [post]);
  return archived;
}

export interface ArchivedPost {
  post: UploadRow;
  found: UploadWithAccount;
  account: AccountRow | null;
}

/** The refusal of a change of a post that is not in the database: it is archived, or there is none. */
export async function refuseMissing(ctx: Ctx, id: number, missing: AppError): Promise<AppError> {
  const member = await memberOf(ctx, id);
  if (!member) return missing;
  // The archive has to be read to know the account of the post.
  if (ctx.actor.accounts !== null && !(await findArchived(ctx, id))) return missing;
  const message = `The post is in the archive of ${member.month} and cannot be changed any more. Read it with GET /upload/${id}, or the month with GET /upload?archived=${member.month}.`;
  return new AppError("ARCHIVED", message);
}
