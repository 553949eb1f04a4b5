import { env } from "cloudflare:workers";
import { archivePosts } from "../../src/features/archiving/nightly.ts";
import type { Harness } from "./harness.ts";
import type { Columns } from "./life.ts";

/** A post that ended at this moment, long ago. */
export function ended(
  at: string,
  status: "completed" | "failed" = "completed",
  columns: Columns = {},
): Columns {
  const ms = Date.parse(at);
  const end: Columns = status === "completed" ? { uploaded_at: ms } : { failed_at: ms };
  return {
    status,
    sort_at: ms,
    created_at: ms,
    scheduled_for: ms,
    counted_at: ms,
    ...end,
    ...columns,
  };
}

/** Runs the nightly move to its end, page by page; answers how many pages it took. */
export async function moveAll({ deps }: Pick<Harness, "deps">): Promise<number> {
  let pages = 0;
  for (let cursor: string | null = null; ; ) {
    cursor = await archivePosts(deps, cursor);
    pages++;
    if (cursor === null) return pages;
    if (pages > 10_000) throw new Error("The move does not come to an end.");
  }
}

export const idsInDatabase = async (teamId: number): Promise<number[]> => {
  const { results } = await env.DB.prepare(
    "SELECT id FROM uploads WHERE team_id = ? AND deleted_at IS NULL ORDER BY id",
  )
    .bind(teamId)
    .all<{ id: number }>();
  return results.map(({ id }) => id);
};

export async function membersOf(teamId: number) {
  const { results } = await env.DB.prepare(
    "SELECT * FROM archive_members WHERE team_id = ? ORDER BY month, part, byte_offset",
  )
    .bind(teamId)
    .all<Record<string, string | number>>();
  return results;
}

/** The lines of a whole file, read as `gunzip` does: member behind member. */
export async function linesOf(teamId: number, month: string): Promise<Record<string, unknown>[]> {
  const object = await env.MEDIA.get(`archive/${teamId}/${month}.jsonl.gz`);
  const bytes = new Uint8Array((await object?.arrayBuffer()) ?? []);
  const members = (await membersOf(teamId)).filter((one) => one.month === month);
  const texts = await Promise.all(
    members.map(({ byte_offset, byte_length }) => {
      const from = Number(byte_offset);
      const member = bytes.slice(from, from + Number(byte_length));
      const gunzip = new DecompressionStream("gzip");
      return new Response(new Blob([member]).stream().pipeThrough(gunzip)).text();
    }),
  );
  return texts
    .join("")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
