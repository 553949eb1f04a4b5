import { isPaidPlan } from "../../core/cloudflare-plan.ts";
import type { Deps } from "../../deps.ts";
import { packMember } from "../archive/members.ts";
import { archivedBefore, monthOf, objectKeyOf } from "../archive/rules.ts";
import type { ArchiveFile } from "../archive/table.ts";
import { deleteRemoved } from "../posts/repo/write.ts";
import { claimFile, type EndedPost, endedPosts, storeMember, teamBehind } from "./repo.ts";

/**
 * Rows that a night writes on the free plan, which has 100,000 a day for everything. A deleted post is a row written.
 *
 * @see https://developers.cloudflare.com/d1/platform/pricing/
 */
export const FREE_ROWS_A_NIGHT = 40_000;

/** One member of a file. Compressing 100 kB takes about half of the 10 ms of CPU of the free plan. */
const MEMBER = {
  free: { max: 100, maxBytes: 100_000 },
  /** Its lines are one parameter of a statement: at most twice as long there, and D1 takes 2 MB. */
  paid: { max: 1_000, maxBytes: 900_000 },
};

/** Members in one tick: more would take the CPU of an invocation on the free plan. */
export const membersAtOnce = (deps: Pick<Deps, "config">): number =>
  isPaidPlan(deps.config) ? 20 : 1;

/** Subrequests of one member: read posts, claim the file, read the file, put it, store the member. */
export const ARCHIVING_CALLS = 5;

/** Removed posts of which a page deletes the rows. */
const REMOVED = 500;

/** Where the night has come, and the rows that it has written. */
interface Progress {
  rows: number;
  team: number;
  at: number;
  id: number;
}

/** Before the first post of a team. */
const start = (rows: number, team: number): Progress => ({ rows, team, at: -1, id: 0 });

const toCursor = ({ rows, team, at, id }: Progress): string => [rows, team, at, id].join(" ");

function readProgress(cursor: string | null): Progress {
  if (cursor === null) return start(0, 0);
  const [rows = 0, team = 0, at = -1, id = 0] = cursor.split(" ").map(Number);
  return { rows, team, at, id };
}

/**
 * Moves some posts of one team and month from the database to a file in the storage: the file first, then index and
 * posts in one transaction. A run that breaks off in between leaves bytes that the next run overwrites.
 */
export async function archivePosts(deps: Deps, cursor: string | null): Promise<string | null> {
  const progress = readProgress(cursor);
  if (!isPaidPlan(deps.config) && progress.rows >= FREE_ROWS_A_NIGHT) {
    deps.log({ event: "archive.paused", rows: progress.rows });
    return null;
  }
  const now = deps.now();
  const before = archivedBefore(now);
  const { team, at, id } = progress;
  const size = isPaidPlan(deps.config) ? MEMBER.paid : MEMBER.free;
  const isNew = at < 0 && team > 0;
  const [ended, [next], removed = 0] = await deps.db.run([
    endedPosts({ team, at, id, before, now, ...size }),
    teamBehind({ team, before }),
    ...(isNew ? [deleteRemoved({ team, before, max: REMOVED })] : []),
  ] as const);
  const rows = progress.rows + removed;
  const posts = ofFirstMonth(ended);
  const last = posts.at(-1);
  if (!last) return next === undefined ? null : toCursor(start(rows, next));
  const written = await append(deps, team, posts, { before, now });
  return toCursor({ rows: rows + written, team, at: last.sortAt.getTime(), id: last.id });
}

function ofFirstMonth(posts: readonly EndedPost[]): readonly EndedPost[] {
  const [first] = posts;
  if (!first) return [];
  const month = monthOf(first.sortAt);
  return posts.filter(({ sortAt }) => monthOf(sortAt) === month);
}

/** Answers the rows written. Posts that were not moved are tried again in the next night. */
async function append(
  deps: Deps,
  teamId: number,
  posts: readonly EndedPost[],
  times: { before: Date; now: Date },
): Promise<number> {
  const month = monthOf(posts[0]?.sortAt ?? times.now);
  const { bytes, sha256 } = await packMember(posts.map(({ line }) => line));
  const [{ value: files, rowsWritten: claimed }] = await deps.db.run([claimFile(teamId, month)]);
  const [file] = files;
  if (!file) throw new Error("The file was not claimed.");
  const fact = { teamId, month, posts: posts.length };
  const put = await putMember(deps, file, bytes);
  if (put !== "put") {
    deps.log({ event: put === "damaged" ? "archive.damaged" : "archive.outrun", ...fact });
    return claimed;
  }
  const results = await deps.db.runAll(
    storeMember({ file, posts, sha256, byteLength: bytes.byteLength, ...times }),
  );
  const isStored = results[0]?.value === 1;
  deps.log({ event: isStored ? "archive.moved" : "archive.outrun", ...fact });
  return results.reduce((sum, { rowsWritten }) => sum + rowsWritten, claimed);
}

/**
 * Puts the indexed members of the file and the new one behind them, unless the object changes meanwhile.
 *
 * @returns `outrun` when it has changed, `damaged` when it lacks an indexed member
 */
async function putMember(
  { media }: Pick<Deps, "media">,
  file: ArchiveFile,
  member: Uint8Array<ArrayBuffer>,
): Promise<"put" | "outrun" | "damaged"> {
  const key = objectKeyOf(file);
  const { sizeBytes: length } = file;
  const options = { httpMetadata: { contentType: "application/gzip" } };
  if (length === 0) {
    const leftover = await media.head(key);
    const onlyIf = leftover ? { etagMatches: leftover.etag } : { etagDoesNotMatch: "*" };
    return (await media.put(key, member, { ...options, onlyIf })) ? "put" : "outrun";
  }
  const before = await media.get(key, { range: { offset: 0, length } });
  if (!before || before.size < length) {
    await before?.body.cancel();
    return "damaged";
  }
  const { readable, writable } = new FixedLengthStream(length + member.byteLength);
  const copy = async () => {
    await before.body.pipeTo(writable, { preventClose: true });
    const writer = writable.getWriter();
    await writer.write(member);
    await writer.close();
  };
  const [object] = await Promise.all([
    media.put(key, readable, { ...options, onlyIf: { etagMatches: before.etag } }),
    // A refused put leaves its stream unread.
    copy().catch(() => {}),
  ]);
  return object ? "put" : "outrun";
}
