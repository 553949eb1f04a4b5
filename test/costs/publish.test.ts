import { describe, expect, test } from "vitest";
import { bluesky } from "../../src/platforms/bluesky/index.ts";
import { createMember, type Fields, form, Harness, START } from "../support/harness.ts";
import { measure } from "../support/meter.ts";
import { connectLive } from "../support/pds.ts";
import { photo } from "../support/stage.ts";
import { SUBMIT, store, summary, UPLOAD_BLOB } from "./support.ts";
import { loadPosts } from "./workload.ts";

async function prepare() {
  const harness = new Harness();
  const member = await createMember();
  const accountId = await connectLive(harness, member);
  const create = (fields: Fields) =>
    harness.call("POST", "/upload", {
      token: member.token,
      body: form({ accountId, description: "Text", ...fields }),
    });
  /** Publishes one post; what that cost, without its creation. */
  const publish = async (fields: Fields = {}) => {
    const created = await create(fields);
    const { costs } = await measure(harness, () => harness.deliver());
    const read = await harness.call("GET", `/upload/${created.body.data.uploadId}`, {
      token: member.token,
    });
    expect(read.body.data).toMatchObject({ status: "completed" });
    return summary(costs);
  };
  return { harness, ...member, accountId, create, publish };
}

/** Claim 2 (row, cap index), intent 1, outcome 3 (row, status index, event); leaving an index is free. */
/** Posts of the account with which a new one is compared. */
const MAX_RECENT = 300;

const TEXT = {
  roundTrips: 3,
  rowsRead: 11,
  rowsWritten: 6,
  queueSends: [],
  storageCalls: [],
  fetches: [SUBMIT],
};

describe("publishing", () => {
  test("a text costs 3 round trips, 6 rows written and 1 call to the platform", async () => {
    const { publish } = await prepare();
    expect(await publish()).toEqual(TEXT);
  });

  test("an image is read from storage once, and costs no more rows written", async () => {
    const { publish } = await prepare();
    expect(await publish({ photo: photo() })).toEqual({
      ...TEXT,
      rowsRead: 13,
      storageCalls: ["get"],
      fetches: [UPLOAD_BLOB, SUBMIT],
    });
  });

  test("the team's other files and posts cost nothing", async () => {
    const { create, publish, teamId } = await prepare();
    for (let i = 0; i < 5; i++) await create({ photo: photo(), status: "draft" });
    await store(
      loadPosts({
        ...{ firstTeam: teamId, teams: 1, rows: 1_000, firstId: teamId * 10_000 },
        from: START.getTime() - 1,
      }),
    );
    expect(await publish()).toEqual(TEXT);
    expect(await publish({ photo: photo() })).toMatchObject({ rowsRead: 13 + 1, rowsWritten: 6 });
  });
});

describe("a thread", () => {
  const LOOK_UP = "GET /xrpc/com.atproto.repo.getRecord";
  const PARTS = 4;

  test("costs 2 round trips and 2 rows written for each part, whose intent and outcome are stored", async () => {
    const { publish } = await prepare();
    const thread = Array.from({ length: PARTS }, (_, i) => `Part ${i + 1}`);
    const { rowsRead, fetches, ...costs } = await publish({ thread: JSON.stringify(thread) });
    expect(costs).toEqual({
      roundTrips: TEXT.roundTrips + 2 * PARTS,
      rowsWritten: TEXT.rowsWritten + 2 * PARTS,
      queueSends: [],
      storageCalls: [],
    });
    expect(rowsRead).toBeLessThanOrEqual(TEXT.rowsRead + 2 * PARTS);
    const [head, first, ...others] = fetches.join().split(SUBMIT);
    expect([head, first]).toEqual(["", `,${LOOK_UP},`]);
    expect(others).toEqual([...Array(PARTS - 1).fill(`,${LOOK_UP},${LOOK_UP},`), ""]);
  });

  test("costs no more to create than a post without parts", async () => {
    const { harness, create } = await prepare();
    const thread = JSON.stringify(["Second", "Third"]);
    const [plain, long] = [
      await measure(harness, () => create({})),
      await measure(harness, () => create({ thread, description: "Another" })),
    ].map(({ costs }) => summary(costs));
    expect(long).toMatchObject({
      roundTrips: plain?.roundTrips,
      rowsWritten: plain?.rowsWritten,
      queueSends: plain?.queueSends,
    });
  });
});

describe("a post from the call to the platform", () => {
  test("costs 12 rows written and 1 message", async () => {
    const { harness, create } = await prepare();
    const { costs } = await measure(harness, async () => {
      await create({});
      await harness.deliver();
    });
    expect(summary(costs)).toEqual({
      ...TEXT,
      roundTrips: 5,
      rowsRead: expect.any(Number),
      rowsWritten: 12,
      queueSends: [1],
    });
  });

  test("counts the account's posts of a day up to the platform's cap, and reads no more", async () => {
    const { harness, create, accountId, teamId } = await prepare();
    const cap = bluesky.capabilities.dailyPostCap;
    const rows = cap * 4;
    await store([
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows} - 1)
      INSERT INTO uploads (team_id, account_id, platform, status, status_group, settings, media,
        sort_at, created_at, counted_at)
      SELECT ${teamId}, '${accountId}', 'bluesky', 'completed', 'completed', '{}', '[]',
        ${START.getTime()} - i, ${START.getTime()} - i, ${START.getTime()} - i FROM n`,
    ]);
    const { costs } = await measure(harness, async () => {
      await create({});
      await harness.deliver();
    });
    expect(costs.rowsRead).toBeLessThanOrEqual(60 + 2 * cap + MAX_RECENT);
  });
});
