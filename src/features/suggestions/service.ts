import type { Ctx } from "../../deps.ts";
import { activityLine, INSERTED } from "../activity/repo.ts";
import * as repo from "./repo.ts";
import type { NewSuggestion, SuggestionPage } from "./schema.ts";

/** `nextBefore` is null on the last page. */
export async function listSuggestions(ctx: Ctx, { limit, before }: SuggestionPage) {
  const query = repo.suggestionsOf(ctx.team, before ?? null, limit + 1);
  const [matches] = await ctx.read("team:read", [query]);
  const rows = matches.slice(0, limit);
  return { rows, nextBefore: matches.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

export async function createSuggestion(ctx: Ctx, { title, body }: NewSuggestion) {
  await ctx.read("team:write", []);
  const { teamId, userId } = ctx.actor;
  const [[row]] = await ctx.db.run([
    ...repo.insertSuggestion(ctx, { teamId, userId, title, body }),
    activityLine(ctx, "suggestion.created", INSERTED),
  ]);
  if (!row) throw new Error("The suggestion was not stored.");
  return row;
}
