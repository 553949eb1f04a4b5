import { spellingsOf } from "../../core/spellings.ts";
import { addMonths } from "../../core/time.ts";
import type { UploadFilter } from "../../core/upload-filter.ts";
import type { UploadRow } from "../posts/table.ts";
import type { ArchiveFile, MemberSpan } from "./table.ts";

/** Posts stay in the database this long after they ended. */
export const KEPT_MONTHS = 13;

export const monthOf = (at: Date): string => at.toISOString().slice(0, "2025-03".length);

export const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text);

export const NOT_A_MONTH = "must be a month, such as 2025-03";

/** Whole months move, so that each becomes few members: the month in which this instant lies stays. */
export function archivedBefore(now: Date): Date {
  const month = monthOf(addMonths(now, -KEPT_MONTHS));
  return new Date(`${month}-01T00:00:00.000Z`);
}

export const archivePrefix = (teamId: number): string => `archive/${teamId}/`;

export const objectKeyOf = ({
  teamId,
  month,
  part,
}: Pick<ArchiveFile, "teamId" | "month" | "part">): string =>
  `${archivePrefix(teamId)}${month}${part === 1 ? "" : `-${part}`}.jsonl.gz`;

/** @param ids ascending */
export const packIds = (ids: readonly number[]): number[] =>
  ids.map((id, i) => id - (ids[i - 1] ?? 0));

export function hasId(packed: readonly number[], id: number): boolean {
  let reached = 0;
  return packed.some((step) => {
    reached += step;
    return reached === id;
  });
}

/** SQLite's `lower` changes ASCII letters only. */
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Finds the same posts as `uploadsMatching` finds in the database. */
export function matcherOf(filter: UploadFilter): (post: UploadRow) => boolean {
  const { status, platform, accountId, accounts, search, startDate, endDate } = filter;
  const words = search === undefined ? null : spellingsOf(search);
  return (post) =>
    (status === undefined || post.status === status) &&
    (platform === undefined || post.platform === platform) &&
    (accountId === undefined || post.accountId === accountId) &&
    (accounts === undefined || accounts.includes(post.accountId)) &&
    (startDate === undefined || post.sortAt >= startDate) &&
    (endDate === undefined || post.sortAt <= endDate) &&
    (words === null || includesAny(lower(`${post.title ?? ""}\n${post.description ?? ""}`), words));
}

const includesAny = (text: string, words: readonly string[]): boolean =>
  words.some((one) => text.includes(one));

/** Most recent first, as lists of posts are. */
export const byDate = (
  a: Pick<UploadRow, "sortAt" | "id">,
  b: Pick<UploadRow, "sortAt" | "id">,
): number => b.sortAt.getTime() - a.sortAt.getTime() || b.id - a.id;

/** Members whose dates overlap, and so have to be sorted together. */
export interface Stretch {
  members: readonly MemberSpan[];
  posts: number;
  firstAt: Date;
  lastAt: Date;
}

/** Groups members whose times overlap, so that the groups can be listed one after another, the most recent first. */
export function stretchesOf(members: readonly MemberSpan[]): Stretch[] {
  const stretches: { members: MemberSpan[]; firstAt: Date }[] = [];
  for (const member of members.toSorted((a, b) => b.lastAt.getTime() - a.lastAt.getTime())) {
    const stretch = stretches.at(-1);
    if (stretch && member.lastAt >= stretch.firstAt) {
      stretch.members.push(member);
      if (member.firstAt < stretch.firstAt) stretch.firstAt = member.firstAt;
    } else {
      stretches.push({ members: [member], firstAt: member.firstAt });
    }
  }
  return stretches.map(({ members, firstAt }) => ({
    members,
    posts: members.reduce((sum, { posts }) => sum + posts, 0),
    firstAt,
    lastAt: members[0]?.lastAt ?? firstAt,
  }));
}

/** True when every post of the stretch matches, so that it needs to be read only to show its posts. */
export function matchesWhole(filter: UploadFilter, { firstAt, lastAt }: Stretch): boolean {
  const { status, platform, accountId, accounts, search, startDate, endDate } = filter;
  const asksContent = [status, platform, accountId, accounts, search].some(
    (value) => value !== undefined,
  );
  return (
    !asksContent &&
    (startDate === undefined || firstAt >= startDate) &&
    (endDate === undefined || lastAt <= endDate)
  );
}

export const isOutside = (
  { startDate, endDate }: UploadFilter,
  { firstAt, lastAt }: Pick<MemberSpan, "firstAt" | "lastAt">,
): boolean =>
  (startDate !== undefined && lastAt < startDate) || (endDate !== undefined && firstAt > endDate);
