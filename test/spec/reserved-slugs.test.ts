import type { Hono } from "hono";
import { expect, test } from "vitest";
import { DOORS, openSite } from "../../src/app.ts";
import { SHORT_PATH } from "../../src/core/link-address.ts";
import { refusedSlug } from "../../src/features/links/slugs.ts";
import { Harness } from "../support/harness.ts";

/** First parts that are patterns; none of them matches a slug, which has no dot and is not empty. */
const PATTERNS = ["*", ":file{\\w+\\.txt}"];

const firstPart = (path: string): string => path.split("/", 2)[1] ?? "";

/** The first part of every path that the instance answers, but for short links themselves. */
async function firstParts(): Promise<Set<string>> {
  const { deps } = new Harness();
  const doors = await Promise.all([openSite, ...DOORS.values()].map((open) => open(() => deps)));
  // The API's is a switch, whose paths begin alike.
  const paths = doors.flatMap((door) => (door as Partial<Hono>).routes ?? []);
  return new Set([
    ...DOORS.keys(),
    firstPart(SHORT_PATH),
    ...paths.map(({ path }) => firstPart(path)),
  ]);
}

test("the first part of every path of the site's own is no slug", async () => {
  const parts = await firstParts();
  for (const known of ["api", "app", "docs", "health", "media", "files", "s", "sign-in"]) {
    expect(parts).toContain(known);
  }
  const words = [...parts].filter((part) => !PATTERNS.includes(part));
  expect(words.filter((word) => /[*:{]/.test(word))).toEqual([]);
  expect(words.filter((word) => refusedSlug(word) === null)).toEqual([]);
});
