import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createMember, Harness, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";

const OWN = 200;
const OTHERS = 10_000;

/** Files with one post each. */
async function storeFiles(teamId: number, count: number): Promise<void> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)`;
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} INSERT INTO media (team_id, sha256, object_key, kind, mime, size_bytes, name, kept_at, created_at)
        SELECT ?1, printf('%064x', i), 'media/' || ?1 || '/' || i, 'image', 'image/png', 100, 'file ' || i,
          iif(i % 2, ?3, NULL), ?3 + i FROM n`,
    ).bind(teamId, count, START.getTime()),
    env.DB.prepare(
      `${numbers} INSERT INTO media_uses (team_id, sha256, upload_id)
        SELECT ?1, printf('%064x', i), ?1 * 1000000 + i FROM n`,
    ).bind(teamId, count),
  ]);
}

test("a page of files, and one file, read what the team has alone", async () => {
  const harness = new Harness();
  const { teamId, token } = await createMember();
  await storeFiles(teamId, OWN);
  const paths = ["", "?search=file+7", "?kept=true&page=2", `/${"1".padStart(64, "0")}`];
  const read = async () => {
    const rows: number[] = [];
    for (const path of paths) {
      const { costs, result } = await measure(harness, () =>
        harness.call(
          "GET",
          `/media${path}${path.startsWith("/") ? "" : path ? "&limit=50" : "?limit=50"}`,
          { token },
        ),
      );
      expect(result.status).toBe(200);
      expect(costs.roundTrips).toHaveLength(1);
      rows.push(costs.rowsRead);
    }
    return rows;
  };
  const few = await read();
  for (const team of [teamId - 1, teamId + 1]) await storeFiles(team, OTHERS);
  // A search may look at one row behind its end.
  for (const [i, rows] of (await read()).entries()) {
    expect(rows).toBeLessThanOrEqual((few[i] ?? 0) + 5);
  }
  expect(Math.max(...few)).toBeLessThanOrEqual(6 * OWN);
  expect(few.at(-1)).toBeLessThanOrEqual(40);
});
