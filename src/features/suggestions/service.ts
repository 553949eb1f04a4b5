import { notFound } from "../../core/errors.ts";
import type { NamedCall } from "../../core/idempotency-key.ts";
import type { Ctx } from "../../deps.ts";
import { activityLine, INSERTED } from "../activity/repo.ts";
import { look, once } from "../idempotency/once.ts";
import * as repo from "./repo.ts";
import type { NewSuggestion, SuggestionPage } from "./schema.ts";

/** `nextBefore` is null on the last page. */
export async function listSuggestions(ctx: Ctx, { limit, before }: SuggestionPage) {
  const query = repo.suggestionsOf(ctx.team, before ?? null, limit + 1);
  const [matches] = await ctx.read("team:read", [query]);
  const rows = matches.slice(0, limit);
  return { rows, nextBefore: matches.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

/** @throws the errors of `once` */
export async function createSuggestion(ctx: Ctx, input: NewSuggestion, call: NamedCall | null) {
  const { result } = await once<null, repo.SuggestionRow>(ctx, call, () => input, {
    look: async () => {
      const { stored } = await look(ctx, "team:write", call, []);
      return { findings: null, stored };
    },
    make: async (_, { isNew, keep }) => {
      const { teamId, userId } = ctx.actor;
      const [[row]] = await ctx.db.run([
        ...repo.insertSuggestion(ctx, { teamId, userId, ...input }, isNew),
        activityLine(ctx, "suggestion.created", INSERTED),
        ...keep(null, INSERTED),
      ]);
      return row ?? null;
    },
    replay: async ({ firstUploadId }) => {
      const [[row]] = await ctx.db.run([repo.suggestionsOf(ctx.team, (firstUploadId ?? 0) + 1, 1)]);
      if (row?.id !== firstUploadId) throw notFound("Suggestion");
      return row;
    },
  });
  return result;
}
