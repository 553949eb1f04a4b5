import { expect, test } from "vitest";
import { SECTIONS } from "../../src/features/leaving/repo/export.ts";
import { connectMeasured } from "../platforms/measured.ts";
import {
  connectSandbox,
  createMember,
  createToken,
  form,
  Harness,
  type Member,
} from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { photo } from "../support/stage.ts";

const UNKNOWN = `kmb_${"f".repeat(64)}`;
const MALFORMED = UNKNOWN.slice(0, -1);

/** Every GET of the document, with ids of the member's own in its path. */
async function everyGet(harness: Harness, member: Member): Promise<string[]> {
  const { token } = member;
  const accountId = await connectSandbox(harness, member);
  const draft = form({ accountId, description: "A draft", status: "draft" });
  const created = await harness.call("POST", "/upload", { token, body: draft });
  const uploadId = String(created.body.data.uploadId);
  const json = { url: "https://example.com/hook", events: ["upload.completed"] };
  const hook = await harness.call("POST", "/webhooks", { token, json });
  const pool = await harness.call("POST", "/pools", {
    token,
    json: { name: "A", timezone: "UTC" },
  });
  const poolId: string = pool.body.pool.id;
  const link = await harness.call("POST", "/short-links", {
    token,
    json: { url: "https://example.com/" },
  });
  const linkId = String(link.body.id);
  const stored = await harness.call("POST", "/media", { token, body: form({ file: photo() }) });
  const kept = await harness.call("POST", "/drafts", { token, json: { content: {} } });
  const ids: Record<string, string> = {
    "/drafts/{id}": String(kept.body.data.id),
    "/short-links/{id}": linkId,
    "/short-links/{id}/qr": linkId,
    "/pools/{id}": poolId,
    "/pools/{id}/capacity": poolId,
    "/pools/{id}/preview": poolId,
    "/pools/{id}/firings": poolId,
    "/pools/{id}/videos": poolId,
    "/accounts/{id}": accountId,
    "/accounts/{id}/mentions": accountId,
    "/media/{mediaId}": stored.body.data.mediaId,
    "/limits/{accountId}": accountId,
    "/upload/{id}": uploadId,
    "/posts/{id}": uploadId,
    "/analytics/{connectedAccountId}": accountId,
    "/analytics/{connectedAccountId}/linkedin/comments": await connectMeasured(
      harness,
      member,
      "linkedin",
    ),
    "/webhooks/{id}/deliveries": String(hook.body.data.id),
  };
  const queries: Record<string, string> = {
    "/calendar": "?from=2026-12-01&to=2027-01-01",
    "/analytics/{connectedAccountId}/linkedin/comments": "?postId=urn:li:share:1",
    "/pinterest/boards": `?accountId=${await connectSandbox(harness, member, "Ada", "pinterest")}`,
    "/accounts/{id}/mentions": "?query=ada",
    "/tiktok/creator": `?accountId=${await connectSandbox(harness, member, "Eve", "tiktok")}`,
    "/tiktok/stats": `?accountId=${await connectSandbox(harness, member, "Ada", "tiktok")}`,
  };
  const { body } = await harness.call("GET", "/openapi.json");
  return Object.entries<{ get?: { security: object[] } }>(body.paths)
    .filter(([, { get }]) => get !== undefined && get.security.length > 0)
    .map(([path]) => path.replace("/api/v1", ""))
    .map(
      (path) =>
        path.replace(/\{\w+\}/, ids[path] ?? `no id is given here for ${path}`) +
        (queries[path] ?? ""),
    );
}

test("a GET asks the database once, an export once a section", async () => {
  const harness = new Harness();
  const member = await createMember();
  const trips = new Map<string, number>();
  for (const path of await everyGet(harness, member)) {
    const { costs, result } = await measure(harness, () =>
      harness.call("GET", path, { token: member.token }),
    );
    expect(result.status, path).toBe(200);
    expect(costs.rowsWritten, path).toBe(0);
    expect(costs.queueSends, path).toEqual([]);
    trips.set(path, costs.roundTrips.length);
  }
  expect(trips.get("/export")).toBeLessThanOrEqual(1 + SECTIONS.length);
  trips.delete("/export");
  expect(Object.fromEntries(trips)).toEqual(
    Object.fromEntries([...trips.keys()].map((p) => [p, 1])),
  );
});

test("knowing a caller reads 3 rows, however the team is named", async () => {
  const harness = new Harness();
  const { userId, teamId, token } = await createMember();
  const pinned = await createToken(userId, { teamId });
  const ways = [{ token }, { token, headers: { "x-team-id": String(teamId) } }, { token: pinned }];
  const reads: (number | undefined)[] = [];
  for (const way of ways) {
    const { costs } = await measure(harness, () => harness.call("GET", "/upload", way));
    reads.push(costs.roundTrips[0]?.[0]?.rowsRead);
  }
  expect(reads).toEqual([3, 2, 2]);
});

/** Statements that name the team twice: each time the token is looked up. */
const NAMES_TEAM_TWICE = /^\/whitelabel\/links$|^\/pools\/\d+/;
/** Two statements that sort: each looks for a first row. */
const SORTS_TWICE = /^\/media\//;
/** A statement that merges a list of each state: it looks for the first row of each. */
const MERGES_LISTS = /^\/pools\/\d+\/videos$/;

test("an unknown token costs one round trip that reads 1 row at most", async () => {
  const harness = new Harness();
  const member = await createMember();
  for (const path of await everyGet(harness, member)) {
    const { costs, result } = await measure(harness, () =>
      harness.call("GET", path, { token: UNKNOWN }),
    );
    expect(result.status, path).toBe(401);
    expect(costs.roundTrips, path).toHaveLength(1);
    const max = MERGES_LISTS.test(path)
      ? 11
      : NAMES_TEAM_TWICE.test(path)
        ? 3
        : SORTS_TWICE.test(path)
          ? 2
          : 1;
    expect(costs.rowsRead, path).toBeLessThanOrEqual(max);
  }
});

test("a post of somebody unknown costs the same, and none of its file is stored", async () => {
  const harness = new Harness();
  for (const body of [
    form({ accountId: "acc_1", description: "Text" }),
    form({ photo: photo(1_000_000), accountId: "acc_1" }),
  ]) {
    const { costs, result } = await measure(harness, () =>
      harness.call("POST", "/upload", { token: UNKNOWN, body }),
    );
    expect(result.status).toBe(401);
    expect(costs.roundTrips).toHaveLength(1);
    expect(costs.rowsRead).toBeLessThanOrEqual(1);
    expect(costs.storageCalls).toEqual([]);
  }
});

test("what cannot be a token never reaches the database", async () => {
  const harness = new Harness();
  for (const token of [MALFORMED, undefined]) {
    const { costs, result } = await measure(harness, () =>
      harness.call("GET", "/upload", { token }),
    );
    expect(result.status).toBe(401);
    expect(costs.roundTrips).toEqual([]);
  }
});
