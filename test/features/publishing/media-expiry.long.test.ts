import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { expireFiles } from "../../../src/features/publishing/media-expiry.ts";
import { planOf, slowPlans } from "../../costs/support.ts";
import { delaySecondCall } from "../../support/database.ts";
import {
  connectSandbox,
  form,
  type Harness,
  harnessWith,
  type Member,
} from "../../support/harness.ts";
import { loadOf } from "../../support/load.ts";
import { measure } from "../../support/meter.ts";
import { type AccountStage, openAccount } from "../../support/stage.ts";
import { testPng } from "../../support/videos.ts";

const ROUNDS = loadOf(4, 20);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** A tick that looks for files to remove. */
const NOW = Date.parse("2026-12-05T09:17:00.000Z");

let serial = 0;
const newPhoto = () => new Blob([testPng, String(++serial)], { type: "image/png" });

async function start(harness?: Harness): Promise<AccountStage> {
  const stage = await openAccount("bluesky", undefined, harness);
  vi.setSystemTime(NOW);
  return stage;
}

/** A post with these files, as a draft; its id. */
async function draft(fixture: AccountStage, ...photo: Blob[]): Promise<number> {
  const id = await fixture.post({ status: "draft", photo });
  await fixture.harness.settle();
  return id;
}

/** A draft with this file for each of three accounts, from one call; their ids. */
async function batch({ harness, member, accountId }: AccountStage, photo: Blob): Promise<number[]> {
  const accounts = [accountId];
  for (const name of ["Bea", "Cyd"]) accounts.push(await connectSandbox(harness, member, name));
  const body = form({
    accounts: JSON.stringify(accounts),
    status: "draft",
    description: `Post ${++serial}`,
    photo,
  });
  const { token } = member;
  const created = await harness.call("POST", "/upload/bulk", { token, body });
  await harness.settle();
  return created.body.results.map(({ uploadId }: { uploadId: number }) => uploadId);
}

/** Sets columns of a post as its life would have done. */
async function set(id: number, columns: Record<string, string | number | null>): Promise<void> {
  const names = Object.keys(columns).map((name) => `${name} = ?`);
  await env.DB.prepare(`UPDATE uploads SET ${names.join(", ")} WHERE id = ?`)
    .bind(...Object.values(columns), id)
    .run();
}

const complete = (id: number, at: number) =>
  set(id, { status: "completed", status_group: "completed", uploaded_at: at });
const fail = (id: number, at: number) =>
  set(id, { status: "failed", status_group: "failed", failed_at: at, failure_code: "unknown" });

/** Counts a team's stored files. */
async function stored({ teamId }: Member) {
  const count = async (table: string) =>
    (await env.DB.prepare(`SELECT COUNT(*) AS n FROM ${table} WHERE team_id = ?`)
      .bind(teamId)
      .first<number>("n")) ?? 0;
  const objects = async (prefix: string) =>
    (await env.MEDIA.list({ prefix: `${prefix}/${teamId}/` })).objects.length;
  return {
    files: await count("media"),
    uses: await count("media_uses"),
    objects: await objects("media"),
    thumbnails: await objects("thumbnails"),
  };
}

const NOTHING = { files: 0, uses: 0, objects: 0, thumbnails: 0 };
const ONE_FILE = { files: 1, uses: 1, objects: 1, thumbnails: 0 };

beforeEach(async () => {
  await env.DB.exec("DELETE FROM chores");
});

describe("a file stays", () => {
  test.each<[string, (id: number) => Promise<void>]>([
    ["a draft", async () => {}],
    [
      "a post that waits for approval",
      (id) => set(id, { status: "pending_approval", status_group: "pending_approval" }),
    ],
    [
      "a planned post",
      (id) => set(id, { status: "scheduled", status_group: "scheduled", due_at: NOW * 2 }),
    ],
    ["a post in the queue", (id) => set(id, { status: "pending", status_group: "pending" })],
    [
      "a post being published again long after it failed",
      (id) => set(id, { status: "processing", status_group: "pending", failed_at: 0 }),
    ],
    ["a post published 23:59 ago", (id) => complete(id, NOW - 24 * HOUR_MS + MINUTE_MS)],
    ["a post that failed 23:59 ago", (id) => fail(id, NOW - 24 * HOUR_MS + MINUTE_MS)],
  ])("for %s", async (_, change) => {
    const fixture = await start();
    await change(await draft(fixture, newPhoto()));
    await fixture.harness.tick();
    expect(await stored(fixture.member)).toEqual(ONE_FILE);
  });
});

describe("a file goes, its row first and its object with it", () => {
  test.each<[string, (id: number) => Promise<void>, number]>([
    ["24:01 after publishing", (id) => complete(id, NOW - 24 * HOUR_MS - MINUTE_MS), 1],
    ["24:00 after publishing", (id) => complete(id, NOW - 24 * HOUR_MS), 1],
    ["24:01 after failing", (id) => fail(id, NOW - 24 * HOUR_MS - MINUTE_MS), 0],
    ["with a draft that is deleted", (id) => set(id, { deleted_at: NOW - 1 }), 0],
    [
      "with a failed post that is deleted",
      async (id) => {
        await fail(id, NOW - 1);
        await set(id, { deleted_at: NOW - 1 });
      },
      0,
    ],
  ])("%s", async (_, change, thumbnails) => {
    const fixture = await start();
    await change(await draft(fixture, newPhoto()));
    await fixture.harness.tick();
    expect(await stored(fixture.member)).toEqual({ ...NOTHING, thumbnails });
  });

  test("that no post uses any more", async () => {
    const fixture = await start();
    const id = await draft(fixture, newPhoto());
    await env.DB.prepare("DELETE FROM media_uses WHERE upload_id = ?").bind(id).run();
    await fixture.harness.tick();
    expect(await stored(fixture.member)).toEqual(NOTHING);
  });

  test("after MEDIA_RETENTION_HOURS, which leave failed posts alone", async () => {
    const fixture = await start(harnessWith({ mediaRetentionHours: 72 }));
    await complete(await draft(fixture, newPhoto()), NOW - 72 * HOUR_MS + MINUTE_MS);
    await complete(await draft(fixture, newPhoto()), NOW - 72 * HOUR_MS - MINUTE_MS);
    await fail(await draft(fixture, newPhoto()), NOW - 24 * HOUR_MS - MINUTE_MS);
    await fixture.harness.tick();
    expect(await stored(fixture.member)).toEqual({ files: 1, uses: 1, objects: 1, thumbnails: 1 });
  });
});

test("a file that several posts use stays until the last needs it no more", async () => {
  const fixture = await start();
  const { harness, member } = fixture;
  const photo = newPhoto();
  const published = await draft(fixture, photo);
  const failed = await draft(fixture, photo);
  const last = await draft(fixture, photo);
  await complete(published, NOW - 25 * HOUR_MS);
  await fail(failed, NOW - 25 * HOUR_MS);
  await harness.tick();
  expect(await stored(member)).toEqual({ files: 1, uses: 1, objects: 1, thumbnails: 1 });

  await set(last, { deleted_at: NOW });
  harness.advance(3_600);
  await harness.tick();
  expect(await stored(member)).toEqual({ ...NOTHING, thumbnails: 1 });
});

test("the file of a batch stays until the last of its posts needs it no more", async () => {
  const fixture = await start();
  const { harness, member } = fixture;
  const [published = 0, failed = 0, last = 0] = await batch(fixture, newPhoto());
  expect(await stored(member)).toEqual(ONE_FILE);
  await complete(published, NOW - 25 * HOUR_MS);
  await fail(failed, NOW - 25 * HOUR_MS);
  await harness.tick();
  expect(await stored(member)).toEqual(ONE_FILE);

  const { token } = member;
  expect((await harness.call("DELETE", `/upload/${last}`, { token })).status).toBe(200);
  expect(await stored(member)).toEqual(ONE_FILE);
  harness.advance(3_600);
  await harness.tick();
  expect(await stored(member)).toEqual({ ...NOTHING, thumbnails: 1 });
  const record = (await harness.call("GET", `/upload/${published}`, { token })).body.data;
  expect(record.thumbnailUrl).toMatch(/^https/);
});

test("a post of a batch that is retried keeps the file, for itself alone", async () => {
  const fixture = await start();
  const { harness, member } = fixture;
  const { token } = member;
  const [first = 0, second = 0, third = 0] = await batch(fixture, newPhoto());
  for (const id of [first, second, third]) await fail(id, NOW - 23 * HOUR_MS);
  expect((await harness.call("POST", `/upload/${second}/retry`, { token })).status).toBe(200);
  await set(second, { status: "failed", status_group: "failed", failed_at: NOW });
  harness.advance(2 * 3_600);
  await harness.tick();
  expect(await stored(member)).toEqual({ ...ONE_FILE, uses: 2 });
  harness.advance(24 * 3_600);
  await harness.tick();
  expect(await stored(member)).toEqual(NOTHING);
});

test("the same content of two teams is two files", async () => {
  const one = await start();
  const other = await start();
  const photo = newPhoto();
  await complete(await draft(one, photo), NOW - 25 * HOUR_MS);
  await draft(other, photo);
  await one.harness.tick();
  expect(await stored(one.member)).toEqual({ ...NOTHING, thumbnails: 1 });
  expect(await stored(other.member)).toEqual(ONE_FILE);
});

test("a thumbnail is kept of a post's first image only, and of none that is no image", async () => {
  const fixture = await start();
  await complete(await draft(fixture, newPhoto(), newPhoto()), NOW - 25 * HOUR_MS);
  const broken = new Blob([testPng.subarray(0, 40), String(++serial)], { type: "image/png" });
  await complete(await draft(fixture, broken), NOW - 25 * HOUR_MS);
  await fixture.harness.tick();
  expect(await stored(fixture.member)).toEqual({ ...NOTHING, thumbnails: 1 });
  expect(fixture.harness.logs).toContainEqual(
    expect.objectContaining({ event: "thumbnail.failed" }),
  );
  expect(fixture.harness.logs).not.toContainEqual(
    expect.objectContaining({ event: "chore.failed" }),
  );
});

test("a kept thumbnail is no unused object", async () => {
  const fixture = await start();
  await complete(await draft(fixture, newPhoto()), NOW - 25 * HOUR_MS);
  await fixture.harness.tick();
  // Storage keeps real time, so this night is one far from now.
  const later = new Date(Math.max(NOW, vi.getRealSystemTime()) + 10 * 24 * HOUR_MS);
  later.setUTCHours(3, 10);
  vi.setSystemTime(later);
  await fixture.harness.tick();
  expect(await stored(fixture.member)).toEqual({ ...NOTHING, thumbnails: 1 });
});

test("objects that a crash left behind are found at night", async () => {
  const fixture = await start();
  await complete(await draft(fixture, newPhoto()), NOW - 25 * HOUR_MS);
  const { media } = fixture.harness.deps;
  fixture.harness.deps.media = new Proxy(media, {
    get(bucket, name) {
      if (name === "delete") return () => Promise.reject(new Error("Crash"));
      const value = Reflect.get(bucket, name);
      return typeof value === "function" ? value.bind(bucket) : value;
    },
  });
  await fixture.harness.tick();
  expect(await stored(fixture.member)).toEqual({ ...NOTHING, objects: 1, thumbnails: 1 });

  fixture.harness.deps.media = media;
  const later = new Date(Math.max(NOW, vi.getRealSystemTime()) + 10 * 24 * HOUR_MS);
  later.setUTCHours(3, 10);
  vi.setSystemTime(later);
  await fixture.harness.tick();
  expect(await stored(fixture.member)).toEqual({ ...NOTHING, thumbnails: 1 });
});

test("ticks that come twice at once do no harm", async () => {
  const fixture = await start();
  const shared = newPhoto();
  for (let i = 0; i < 5; i++) {
    await complete(await draft(fixture, newPhoto(), shared), NOW - 25 * HOUR_MS);
  }
  await draft(fixture, shared);
  await Promise.all([1, 2, 3].map(() => fixture.harness.tick()));
  expect(await stored(fixture.member)).toEqual({ files: 1, uses: 1, objects: 1, thumbnails: 5 });
  expect(fixture.harness.logs).not.toContainEqual(
    expect.objectContaining({ event: "chore.failed" }),
  );
});

describe("the round of an hour", () => {
  const tickAt = async ({ harness }: AccountStage, at: string) => {
    vi.setSystemTime(Date.parse(at));
    await harness.tick();
  };

  test("is done once, and again in the next hour", async () => {
    const fixture = await start();
    await tickAt(fixture, "2026-12-05T09:17:30Z");
    await complete(await draft(fixture, newPhoto()), NOW - 25 * HOUR_MS);
    await tickAt(fixture, "2026-12-05T09:18:30Z");
    expect(await stored(fixture.member)).toEqual(ONE_FILE);
    await tickAt(fixture, "2026-12-05T10:16:59Z");
    expect(await stored(fixture.member)).toEqual(ONE_FILE);
    await tickAt(fixture, "2026-12-05T10:19:00Z");
    expect(await stored(fixture.member)).toEqual({ ...NOTHING, thumbnails: 1 });
  });

  test("goes on where it broke off, be it an hour later", async () => {
    const fixture = await start();
    await env.DB.prepare("INSERT INTO chores VALUES ('expire files', '2026-12-05T08', ?)")
      .bind(`${fixture.member.teamId + 1} `)
      .run();
    await complete(await draft(fixture, newPhoto()), NOW - 25 * HOUR_MS);
    await tickAt(fixture, "2026-12-05T09:17:30Z");
    expect(await stored(fixture.member)).toEqual(ONE_FILE);
    await tickAt(fixture, "2026-12-05T10:17:30Z");
    expect(await stored(fixture.member)).toEqual({ ...NOTHING, thumbnails: 1 });
  });
});

/** Stores `files` files of a team, each used by `uses` published posts, by the thousand. */
async function fill(teamId: number, files: number, uses: number, uploadedAt: number) {
  const count = (until: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${until} - 1)`;
  const firstId = teamId * 1_000_000;
  const hash = (i: string) => `printf('%064x', ${i})`;
  await env.DB.batch(
    [
      `${count(files)} INSERT INTO media (team_id, sha256, object_key, kind, mime, size_bytes, created_at)
        SELECT ${teamId}, ${hash("i")}, 'media/${teamId}/' || i, 'video', 'video/mp4', 1, 0 FROM n`,
      `${count(files * uses)} INSERT INTO uploads (id, team_id, account_id, platform, status,
          status_group, settings, media, sort_at, created_at, uploaded_at)
        SELECT ${firstId} + i, ${teamId}, 'acc_none', 'bluesky', 'completed', 'completed', '{}',
          json_array(json_object('sha256', ${hash(`i % ${files}`)}, 'kind', 'video')),
          0, 0, ${uploadedAt} FROM n`,
      `${count(files * uses)} INSERT INTO media_uses (team_id, sha256, upload_id)
        SELECT ${teamId}, ${hash(`i % ${files}`)}, ${firstId} + i FROM n`,
    ].map((statement) => env.DB.prepare(statement)),
  );
}

describe("pages", () => {
  /** From this team on there are no others. */
  const cursorOf = ({ teamId }: Member) => `${teamId} `;

  test("end 500 uses at most, and go on inside a file that has more", async () => {
    const { harness, member } = await start();
    await fill(member.teamId, 1, 1_200, NOW - 25 * HOUR_MS);
    const left: number[] = [];
    let cursor: string | null = cursorOf(member);
    while (cursor !== null) {
      cursor = await expireFiles(harness.deps, cursor);
      left.push((await stored(member)).uses);
    }
    expect(left).toEqual([700, 200, 0]);
    expect(await stored(member)).toEqual(NOTHING);
    const marked = await env.DB.prepare(
      "SELECT COUNT(*) AS n FROM uploads WHERE team_id = ? AND media ->> '$[0].isGone' = 1",
    )
      .bind(member.teamId)
      .first<number>("n");
    expect(marked).toBe(1_200);
  });

  test("look at 2,000 files at most, each file once", async () => {
    const { harness, member } = await start();
    await fill(member.teamId, 4_500, 1, NOW - HOUR_MS);
    const due = member.teamId * 1_000_000 + 4_499;
    await complete(due, NOW - 25 * HOUR_MS);
    let pages = 0;
    for (let cursor: string | null = cursorOf(member); cursor !== null; pages++) {
      cursor = await expireFiles(harness.deps, cursor);
    }
    expect(pages).toBe(3);
    expect(await stored(member)).toMatchObject({ files: 4_499, uses: 4_499 });
  });

  test("make 50 thumbnails at most", async () => {
    const fixture = await start();
    const { harness, member } = fixture;
    for (let i = 0; i < 60; i++) {
      await complete(await draft(fixture, newPhoto()), NOW - 25 * HOUR_MS);
    }
    const cursor = await expireFiles(harness.deps, cursorOf(member));
    expect(await stored(member)).toEqual({ files: 10, uses: 10, objects: 10, thumbnails: 50 });
    expect(await expireFiles(harness.deps, cursor)).toBeNull();
    expect(await stored(member)).toEqual({ ...NOTHING, thumbnails: 60 });
  });
});

describe("costs", () => {
  test("two round trips and 3 rows written for a post; no table is walked", async () => {
    const { harness, member } = await start();
    await fill(member.teamId, 300, 1, NOW - 25 * HOUR_MS);
    const { costs } = await measure(harness, () => expireFiles(harness.deps, `${member.teamId} `));
    expect(costs.roundTrips).toHaveLength(2);
    expect(costs.rowsWritten).toBe(3 * 300);
    expect(costs.rowsRead).toBeLessThanOrEqual(24 * 300);
    expect(costs.storageCalls).toEqual(["delete"]);
    const statements = costs.roundTrips.flat();
    // `m` is the page of files that the step before it has found by the key.
    expect((await Promise.all(statements.map(planOf))).flat()).toContain("CO-ROUTINE m");
    expect(await slowPlans(statements, ["m"])).toEqual([]);
  });

  test("one round trip where nothing is due", async () => {
    const { harness, member } = await start();
    await fill(member.teamId, 300, 1, NOW - HOUR_MS);
    const { costs } = await measure(harness, () => expireFiles(harness.deps, `${member.teamId} `));
    expect(costs.roundTrips).toHaveLength(1);
    expect(costs.rowsWritten).toBe(0);
    expect(costs.rowsRead).toBeLessThanOrEqual(5 * 300);
  });
});

describe("content that comes again while its file goes", () => {
  test(`is never without its file, in ${10 * ROUNDS} races`, { timeout: 60_000 }, async () => {
    const fixture = await start();
    const { harness, member } = fixture;
    const outcomes = { kept: 0, storedAnew: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const photos = Array.from({ length: 10 }, newPhoto);
      const before = new Map<string, string>();
      for (const photo of photos) await fail(await draft(fixture, photo), NOW - 25 * HOUR_MS);
      for (const { sha256, object_key } of await files(member)) before.set(sha256, object_key);
      const come = (some: Blob[]) => Promise.all(some.map((photo) => draft(fixture, photo)));
      // Some of the ten are there before the file goes, and the others meet it.
      const early = come(photos.slice(0, round % 10));
      const late = early.then(() => come(photos.slice(round % 10)));
      const deps = delaySecondCall(harness.deps, early);
      await Promise.all([late, expireFiles(deps, `${member.teamId} `)]);
      await harness.settle();
      const after = await files(member);
      expect(after).toHaveLength(10);
      for (const { sha256, object_key, uses } of after) {
        expect(uses).toBeGreaterThan(0);
        expect(await env.MEDIA.head(object_key)).not.toBeNull();
        outcomes[before.get(sha256) === object_key ? "kept" : "storedAnew"]++;
      }
      expect((await stored(member)).objects).toBe(10);
      await env.DB.prepare("UPDATE uploads SET deleted_at = 1 WHERE team_id = ?")
        .bind(member.teamId)
        .run();
      await expireFiles(harness.deps, `${member.teamId} `);
      expect(await stored(member)).toEqual(NOTHING);
    }
    expect(outcomes.kept + outcomes.storedAnew).toBe(10 * ROUNDS);
    expect(Math.min(outcomes.kept, outcomes.storedAnew)).toBeGreaterThan(0);
  });

  async function files({ teamId }: Member) {
    const { results } = await env.DB.prepare(
      `SELECT sha256, object_key, (SELECT COUNT(*) FROM media_uses x
          WHERE x.team_id = m.team_id AND x.sha256 = m.sha256) AS uses
        FROM media m WHERE team_id = ?`,
    )
      .bind(teamId)
      .run<{ sha256: string; object_key: string; uses: number }>();
    return results;
  }
});

test("a failed post whose file others still need shows it again once it is retried", async () => {
  const fixture = await start();
  const { harness, member } = fixture;
  const photo = newPhoto();
  const id = await draft(fixture, photo);
  await draft(fixture, photo);
  await fail(id, NOW - 24 * HOUR_MS);
  const read = async () => {
    const { token } = member;
    const { thumbnailUrl } = (await harness.call("GET", `/upload/${id}`, { token })).body.data;
    return thumbnailUrl;
  };
  const whole = await read();
  expect(whole).toMatch(/^https/);
  for (let next = await expireFiles(harness.deps, null); next !== null; ) {
    next = await expireFiles(harness.deps, next);
  }
  expect(await read()).toBeNull();
  const { token } = member;
  expect((await harness.call("POST", `/upload/${id}/retry`, { token })).status).toBe(200);
  expect(new URL(await read()).pathname).toBe(new URL(whole).pathname);
  await harness.drain();
  expect((await harness.call("GET", `/upload/${id}`, { token })).body.data.status).toBe(
    "completed",
  );
});
