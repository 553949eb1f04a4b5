import type { FieldError } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { createSeries } from "../compose/changes.ts";
import { toNewPost } from "./check.ts";
import type { Entry } from "./read-feed.ts";
import type { FeedRow } from "./table.ts";

/** Short, so that only what no entry could mend is refused. */
const SAMPLE: Entry = {
  id: "sample",
  title: "A title",
  link: "https://example.com/a",
  summary: "A summary",
  author: "An author",
  publishedAt: new Date("2026-01-01T00:00:00Z"),
  picture: "https://example.com/a.jpg",
};

/** Judges a sample entry for each account; null when all would take it. */
export async function sampleRefusal(
  ctx: Ctx,
  feed: Pick<FeedRow, "accountIds" | "template" | "takesPicture" | "origin">,
): Promise<FieldError | null> {
  const series = feed.accountIds.map((accountId) => ({
    sourceKey: `feed:sample:${accountId}`,
    accountId,
    post: toNewPost({ ...feed, status: "draft" }, SAMPLE, accountId),
  }));
  const results = await createSeries(ctx, series, { isDryRun: true });
  const index = results.findIndex((one) => "errors" in one && !one.isPassing);
  const refused = results[index];
  if (!refused || !("errors" in refused)) return null;
  const reasons = refused.errors.map(({ message }) => message).join(" ");
  return { field: "accountIds", message: `${feed.accountIds[index]} takes no entries: ${reasons}` };
}
