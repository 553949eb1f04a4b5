import type { Ctx } from "../../deps.ts";
import * as repo from "./repo.ts";
import type { NewSuggestion, SuggestionPage } from "./schema.ts";

/** A page of the team's suggestions, newest first. `nextBefore`: null at the end. */
export async function listSuggestions(ctx: Ctx, { limit, before }: SuggestionPage) {
  const query = repo.suggestionsOf(ctx.team, before ?? null, limit + 1);
  const [found] = await ctx.read("team:read", [query]);
  const rows = found.slice(0, limit);
  return { rows, nextBefore: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

/** Stores a suggestion of the caller's. Every member may make one. */
export async function createSuggestion(ctx: Ctx, { title, body }: NewSuggestion) {
  await ctx.read("team:write", []);
  const { teamId, userId } = ctx.actor;
  const [[row]] = await ctx.db.run(repo.insertSuggestion(ctx, { teamId, userId, title, body }));
  if (!row) throw new Error("The suggestion was not stored.");
  return row;
}
