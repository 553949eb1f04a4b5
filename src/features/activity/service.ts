import type { Ctx } from "../../deps.ts";
import { type Line, linesBefore } from "./repo.ts";
import type { ActivityPage } from "./schema.ts";

/** Newest first; `nextCursor` is null on the last page. */
export async function listActivity(
  ctx: Ctx,
  { limit, after, type }: ActivityPage,
): Promise<{ lines: Line[]; nextCursor: string | null }> {
  const page = { team: ctx.team, before: after ?? null, type: type ?? null, limit: limit + 1 };
  const [rows] = await ctx.read("team:read", [linesBefore(page)]);
  const lines = rows.slice(0, limit);
  return { lines, nextCursor: rows.length > limit ? (lines.at(-1)?.id ?? null) : null };
}
