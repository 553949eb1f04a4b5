import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { FAILURES } from "../../../src/core/failures.ts";
import { createToken, Harness } from "../../support/harness.ts";
import { loadOf } from "../../support/load.ts";
import { PoolTeam } from "../../support/pools.ts";
import { mp4, photo } from "../../support/stage.ts";

const repeat = (days: number, times: number) => JSON.stringify({ every: { days }, times });

const fieldsOf = (errors: { field: string }[]) => errors.map(({ field }) => field);

async function fireOn(team: PoolTeam, day: string): Promise<void> {
  team.moveTo(`${day}T09:30:00Z`);
  await team.harness.tick();
  await team.harness.drain();
}

const days = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) =>
    new Date(Date.UTC(2026, 11, from + i)).toISOString().slice(0, 10),
  );

const history = async (team: PoolTeam, id: string): Promise<(string | null)[]> =>
  (await team.firings(id))
    .toReversed()
    .map(({ outcome, item }: { outcome: string; item: { title: string } | null }) =>
      item ? item.title : outcome,
    );

async function textsOf(team: PoolTeam, id: string): Promise<string[]> {
  const texts: string[] = [];
  for (const { uploadIds } of (await team.firings(id)).toReversed()) {
    for (const uploadId of uploadIds) {
      texts.push((await team.send("GET", `/upload/${uploadId}`)).data.title);
    }
  }
  return texts;
}

/** A second account of another platform, in the same slot. */
async function secondAccount(team: PoolTeam, platform: string, name = "Second"): Promise<string> {
  return (await team.send("POST", "/accounts", { platform, sandbox: true, name })).data.id;
}

describe("an item that repeats", () => {
  test("returns to the end of the queue, every N days and as often as it says in total", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const { body } = await team.add(id, {
      title: "Evergreen",
      photo: photo(),
      repeat: repeat(3, 3),
    });
    await team.add(id, { title: "Once", photo: photo(40) });
    await fireOn(team, "2026-12-01");
    expect(await team.items(id, "queued")).toMatchObject([
      {
        ...{ id: body.items[0].id, position: 3, dispatched: 1, notBefore: "2026-12-04T09:30" },
        ...{ repeat: { every: { days: 3 }, times: 3 }, variants: [], isLocked: false },
      },
      { title: "Once", position: 2 },
    ]);
    for (const day of days(2, 8)) await fireOn(team, day);
    expect(await history(team, id)).toEqual([
      ...["Evergreen", "Once", "empty", "Evergreen", "empty", "empty", "Evergreen"],
      ...["empty", "empty"],
    ]);
    expect(await team.items(id, "dispatched")).toMatchObject([
      { title: "Evergreen", dispatched: 3, notBefore: null },
      { title: "Once" },
    ]);
    const firings = await team.firings(id);
    expect(
      firings.filter(({ outcome }: { outcome: string }) => outcome === "dispatched"),
    ).toHaveLength(4);
    expect(
      new Set(firings.flatMap(({ uploadIds }: { uploadIds: number[] }) => uploadIds)).size,
    ).toBe(4);
    const [, , , , , waiting] = firings;
    expect([firings[0].reason, waiting.outcome]).toEqual(["The queue is empty.", "dispatched"]);
    expect(firings[6].reason).toContain("waits until it may be published again");
    const kept = await env.DB.prepare("SELECT COUNT(*) AS n FROM pool_files WHERE team_id = ?")
      .bind(team.member.teamId)
      .first("n");
    expect(kept).toBe(0);
  });

  test.each([
    ["2026-11-24T09:30", "A tip"],
    ["2026-11-24T09:31", "empty"],
    ["2026-11-25T09:30", "empty"],
  ])("waits by wall time, whatever the clocks did: last at %s, then %s", async (last, outcome) => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    await team.add(id, { photo: photo(), repeat: repeat(7, 3) });
    await env.DB.prepare("UPDATE pool_items SET dispatches = 1, last_local = ? WHERE pool_id = ?")
      .bind(last, Number(id))
      .run();
    const { firings } = await team.send("GET", `/pools/${id}/preview?days=1`);
    await fireOn(team, "2026-12-01");
    expect(await history(team, id)).toEqual([outcome]);
    expect(firings[0].item?.title ?? "empty").toBe(outcome);
  });

  test("takes its texts in turn, its own first, in place of the description where it has one", async () => {
    const team = await PoolTeam.make();
    const [bare, described] = [await team.pool(), await team.pool()];
    const variants = JSON.stringify(["Second text", "Third text"]);
    await team.add(bare.id, { title: "Own", photo: photo(), repeat: repeat(1, 5), variants });
    await team.add(described.id, {
      ...{ title: "Head", description: "Own", photo: photo(30), repeat: repeat(1, 2), variants },
    });
    const { firings } = await team.send("GET", `/pools/${bare.id}/preview?days=7`);
    const coming = firings.map(
      ({ item }: { item: { turn: { text: string } } | null }) => item?.turn.text,
    );
    for (const day of days(1, 6)) await fireOn(team, day);
    const texts = ["Own", "Second text", "Third text", "Own", "Second text"];
    expect(await textsOf(team, bare.id)).toEqual(texts);
    expect(coming).toEqual([...texts, undefined, undefined]);
    const [first, second] = (await team.firings(described.id)).toReversed();
    const read = async ({ uploadIds }: { uploadIds: number[] }) =>
      (await team.send("GET", `/upload/${uploadIds[0]}`)).data;
    expect(await read(first)).toMatchObject({ title: "Head", description: "Own" });
    expect(await read(second)).toMatchObject({ title: "Head", description: "Second text" });
  });

  test("is passed over within 48 hours with the same text, and the next item is taken", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const { body } = await team.add(id, { title: "Daily", photo: photo(), repeat: repeat(1, 5) });
    const [{ id: itemId }] = body.items;
    const preview = await team.send("GET", `/pools/${id}/preview?days=5`);
    for (const day of days(1, 2)) await fireOn(team, day);
    await team.add(id, { title: "Once", photo: photo(40) });
    for (const day of days(3, 2)) await fireOn(team, day);
    expect(await history(team, id)).toEqual(["Daily", "skipped", "Once", "Daily"]);
    expect(
      preview.firings.map(({ item }: { item: { title: string } | null }) => item?.title ?? null),
    ).toEqual(["Daily", null, null, "Daily", null]);
    const [, third, second] = await team.firings(id);
    expect(second.reason).toContain(`Item ${itemId} (Daily) was passed over. Ada`);
    expect(third).toMatchObject({ outcome: "dispatched", item: { title: "Once" } });
    expect(third.reason).toContain(`Item ${itemId} (Daily) was passed over.`);
    expect(await team.items(id, "queued")).toMatchObject([{ dispatched: 2, reason: null }]);
  });

  test("goes to X again after 30 days alone, and to the slot's other account meanwhile", async () => {
    const team = await PoolTeam.make(undefined, "x");
    const other = await secondAccount(team, "bluesky");
    const slot = team.slot({ days: [2], accountIds: [team.accountId, other] });
    const { id } = await team.pool({ slots: [slot] });
    const variants = JSON.stringify(["A quite different text for the second time"]);
    await team.add(id, { title: "Weekly", photo: photo(), repeat: repeat(7, 7), variants });
    const weeks = [1, 8, 15, 22, 29, 36].flatMap((from) => days(from, 1));
    for (const day of weeks) await fireOn(team, day);
    const firings = (await team.firings(id)).toReversed();
    const counts = firings.map(({ uploadIds }: { uploadIds: number[] }) => uploadIds.length);
    expect(counts).toEqual([2, 1, 1, 1, 1, 2]);
    expect(firings[1]).toMatchObject({ outcome: "dispatched" });
    expect(firings[1].reason).toContain("X does not take the same content twice within 30 days");
    const { results } = await env.DB.prepare(
      "SELECT platform, status, COUNT(*) AS n FROM uploads WHERE team_id = ? GROUP BY 1, 2 ORDER BY 1",
    )
      .bind(team.member.teamId)
      .all();
    expect(results).toEqual([
      { platform: "bluesky", status: "completed", n: 6 },
      { platform: "x", status: "completed", n: 2 },
    ]);
  });

  test("is passed over for what another call posted with the same text and file", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const picture = photo();
    await team.add(id, { title: "The same text", photo: picture, repeat: repeat(30, 2) });
    await team.add(id, { title: "The next one", photo: photo(40) });
    const { token } = team.member;
    const body = new FormData();
    for (const [name, value] of [
      ["accountId", team.accountId],
      ["title", "The same text"],
      ["photo", picture],
    ] as const) {
      body.append(name, value);
    }
    expect((await team.harness.call("POST", "/upload", { token, body })).status).toBe(200);
    await team.harness.drain();
    await fireOn(team, "2026-12-01");
    expect(await history(team, id)).toEqual(["The next one"]);
    const [item] = await team.items(id, "queued");
    expect(item.reason).toMatch(
      /^Passed over at 2026-12-01T09:30:00\.000Z\. Ada \d+: Post \d+ of this account/,
    );
    expect(item).toMatchObject({ dispatched: 0, notBefore: null });
  });

  test("that no account publishes does not count, and ends after three such turns", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const title = "Fails [sandbox:content_flagged]";
    await team.add(id, { title, photo: photo(), repeat: repeat(30, 2) });
    await team.add(id, { title: "Once", photo: photo(40) });
    await fireOn(team, "2026-12-01");
    const [{ uploadIds }] = await team.firings(id);
    const [failed] = await team.items(id, "queued");
    expect(failed).toMatchObject({ title, dispatched: 0, notBefore: null, position: 3 });
    expect(failed.reason).toMatch(/^bluesky: /);
    for (const day of days(2, 3)) await fireOn(team, day);
    expect(await team.items(id, "skipped")).toMatchObject([{ title, dispatched: 0 }]);
    expect(await history(team, id)).toEqual([title, "Once", title, title]);
    expect((await team.firings(id)).at(-1)).toMatchObject({ outcome: "skipped", uploadIds });
  });

  test.each([
    ["a text that is too long", { title: "long ".repeat(80) }, [], "takes 300"],
    ["a word of the blocklist", { title: "Our casino" }, ["casino"], "blocklist"],
    [
      "too many mentions",
      { title: Array.from({ length: 21 }, (_, i) => `@a${i}`).join(" ") },
      [],
      "mentions",
    ],
  ])(
    "that every account refuses for %s ends after three such turns",
    async (_, item, words, reason) => {
      const team = await PoolTeam.make();
      const ended = await secondAccount(team, "x");
      await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?").bind(ended).run();
      const { id } = await team.pool({
        slots: [team.slot({ accountIds: [team.accountId, ended] })],
      });
      await env.DB.prepare("UPDATE teams SET blocklist = ? WHERE id = ?")
        .bind(JSON.stringify(words), team.member.teamId)
        .run();
      await team.add(id, { ...item, photo: photo(), repeat: repeat(30, 2) });
      for (const day of days(1, 2)) await fireOn(team, day);
      expect(await team.items(id, "queued")).toMatchObject([{ dispatched: 0, notBefore: null }]);
      for (const day of days(3, 2)) await fireOn(team, day);
      expect(await team.items(id, "skipped")).toMatchObject([{ title: item.title, dispatched: 0 }]);
      const [next, ...turns] = await team.firings(id);
      expect(next.outcome).toBe("empty");
      expect(turns).toHaveLength(3);
      for (const turn of turns) {
        expect(turn).toMatchObject({ outcome: "skipped", reason: expect.stringContaining(reason) });
      }
    },
  );

  test("stays at a daily cap, also beside an account that refuses it for good", async () => {
    const harness = new Harness();
    const { config } = harness.deps;
    const plans = { ...config.plans, dailyCaps: { bluesky: 0 } };
    harness.deps.config = { ...config, plans };
    const team = await PoolTeam.make(harness);
    const other = await secondAccount(team, "x");
    const { id } = await team.pool({ slots: [team.slot({ accountIds: [team.accountId, other] })] });
    await team.add(id, { title: "nine char".repeat(32), photo: photo(), repeat: repeat(30, 2) });
    for (const day of days(1, 4)) await fireOn(team, day);
    for (const { outcome, reason } of await team.firings(id)) {
      expect(outcome).toBe("skipped");
      expect(reason).toContain("has reached its 0 posts");
    }
    expect(await team.items(id, "queued")).toMatchObject([{ dispatched: 0 }]);
    harness.deps.config = config;
    await fireOn(team, "2026-12-05");
    expect(await team.items(id, "queued")).toMatchObject([{ dispatched: 1 }]);
  });

  test("stays when the team's plan has no posts left at its turns", async () => {
    const team = await PoolTeam.make();
    await env.DB.prepare("UPDATE teams SET plan = 'basic' WHERE id = ?")
      .bind(team.member.teamId)
      .run();
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
       INSERT INTO uploads (team_id, account_id, platform, status, status_group, settings, media, sort_at, created_at)
       SELECT ?, ?, 'bluesky', 'completed', 'completed', '{}', '[]', ?, ? FROM n`,
    )
      .bind(team.member.teamId, team.accountId, Date.now(), Date.now())
      .run();
    const { id } = await team.pool();
    await team.add(id, { photo: photo(), repeat: repeat(30, 2) });
    for (const day of days(1, 4)) await fireOn(team, day);
    const [item] = await team.items(id, "queued");
    expect(item).toMatchObject({ dispatched: 0, notBefore: null });
    expect(item.reason).toContain("are used up");
    for (const { outcome } of await team.firings(id)) expect(outcome).toBe("skipped");
    await env.DB.prepare("DELETE FROM uploads WHERE account_id = ?").bind(team.accountId).run();
    await fireOn(team, "2026-12-05");
    expect(await team.items(id, "queued")).toMatchObject([
      { dispatched: 1, reason: null, notBefore: "2027-01-04T09:30" },
    ]);
  });

  test("counts a turn whose post is published by a retry", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    await team.add(id, { title: "A tip", photo: photo(), repeat: repeat(5, 2) });
    team.moveTo("2026-12-01T09:30:00Z");
    await team.harness.tick();
    await team.harness.deliver();
    const [{ uploadIds }] = await team.firings(id);
    const of = { uploadId: uploadIds[0], platform: "bluesky", accountId: team.accountId };
    const store = (status: string, name: string, more: object) =>
      env.DB.batch([
        env.DB.prepare("UPDATE uploads SET status = ?, status_group = ? WHERE id = ?").bind(
          ...[status, status, uploadIds[0]],
        ),
        env.DB.prepare(
          "INSERT INTO events (id, team_id, name, data, created_at) VALUES (?, ?, ?, ?, ?)",
        ).bind(
          ...[`evt_${name}`, team.member.teamId, name],
          ...[JSON.stringify({ ...of, status, ...more }), Date.now()],
        ),
      ]);
    const failure = { code: "content_flagged", ...FAILURES.content_flagged };
    await store("failed", "upload.failed", { errorMessage: "No", failure });
    expect(await team.items(id, "queued")).toMatchObject([{ dispatched: 0, notBefore: null }]);
    await store("completed", "upload.completed", { metadata: { videoId: "1", shareUrl: null } });
    expect(await team.items(id, "queued")).toMatchObject([
      { dispatched: 1, notBefore: "2026-12-06T09:30" },
    ]);
    expect(await team.firings(id)).toMatchObject([{ outcome: "dispatched" }]);
  });

  test("is published once when a firing is carried out again after its posts were made", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    await team.add(id, { title: "Evergreen", photo: photo(), repeat: repeat(5, 3) });
    await team.add(id, { title: "Once", photo: photo(40) });
    team.moveTo("2026-12-01T09:30:00Z");
    await team.harness.tick();
    const [fire] = team.harness.sent.splice(0).map(({ message }) => message);
    if (!fire) throw new Error("No message was sent.");
    await team.harness.consume([fire]);
    await team.harness.drain();
    await env.DB.batch([
      env.DB.prepare(
        `UPDATE pool_items SET state = 'posting', excluded = '{}', first_upload_id = NULL, dispatches = 0
         WHERE repeat_days IS NOT NULL AND pool_id = ?`,
      ).bind(Number(id)),
      env.DB.prepare("UPDATE pool_firings SET outcome = 'due' WHERE pool_id = ?").bind(Number(id)),
    ]);
    await team.harness.consume([fire]);
    await team.harness.drain();
    expect(await history(team, id)).toEqual(["Evergreen"]);
    expect(await team.items(id, "queued")).toMatchObject([{ dispatched: 1 }, { title: "Once" }]);
    const posts = await env.DB.prepare("SELECT COUNT(*) AS n FROM uploads WHERE team_id = ?")
      .bind(team.member.teamId)
      .first("n");
    expect(posts).toBe(1);
  });

  test("keeps its file beyond the time for which posts keep theirs", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    await team.add(id, { title: "Evergreen", photo: photo(), repeat: repeat(6, 2) });
    await team.runUntil("2026-12-01T09:31:00Z");
    team.moveTo("2026-12-06T00:00:00Z");
    await team.runUntil("2026-12-06T02:00:00Z");
    const { keys } = {
      keys: (await env.MEDIA.list({ prefix: `media/${team.member.teamId}/` })).objects,
    };
    expect(keys).toHaveLength(1);
    await fireOn(team, "2026-12-07");
    expect(await team.items(id, "dispatched")).toMatchObject([{ dispatched: 2 }]);
    team.moveTo("2026-12-09T00:00:00Z");
    await team.runUntil("2026-12-09T02:00:00Z");
    const files = await env.DB.prepare("SELECT COUNT(*) AS n FROM media WHERE team_id = ?")
      .bind(team.member.teamId)
      .first("n");
    expect(files).toBe(0);
  });

  test("waits for each approval, and returns when its post is removed", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const token = await createToken(team.member.userId, { scopes: ["pools:write"] });
    const adder = Object.assign(Object.create(team), { member: { ...team.member, token } });
    const { body } = await adder.add(id, { photo: photo(), repeat: repeat(2, 3) });
    await fireOn(team, "2026-12-01");
    const path = `/pools/${id}/videos/${body.items[0].id}`;
    const change = { repeat: { every: { days: 9 }, times: 9 } };
    const locked = await team.call("PATCH", path, change);
    expect(locked.body).toMatchObject({ code: "NOT_CANCELLABLE" });
    expect(locked.body.error).toContain("the item then returns to the queue");
    const [{ uploadIds }] = await team.firings(id);
    await team.send("DELETE", `/upload/${uploadIds[0]}`);
    await team.runUntil("2026-12-01T10:20:00Z");
    expect(await team.items(id, "queued")).toMatchObject([{ dispatched: 0, isLocked: false }]);
    await fireOn(team, "2026-12-02");
    const [next] = await team.firings(id);
    expect((await team.send("GET", `/upload/${next.uploadIds[0]}`)).data.status).toBe(
      "pending_approval",
    );
  });

  test("stays in a pool that is switched off, and leaves with a pool that is deleted", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    await team.add(id, { photo: photo(), repeat: repeat(1, 9) });
    await fireOn(team, "2026-12-01");
    await team.send("PATCH", `/pools/${id}`, { isActive: false });
    await fireOn(team, "2026-12-05");
    expect(await team.items(id, "queued")).toMatchObject([{ dispatched: 1 }]);
    await team.send("DELETE", `/pools/${id}`);
    const rows = await env.DB.prepare(
      "SELECT (SELECT COUNT(*) FROM pool_files WHERE team_id = ?1) AS files, state FROM pool_items WHERE team_id = ?1",
    )
      .bind(team.member.teamId)
      .first();
    expect(rows).toEqual({ files: 0, state: "removed" });
  });
});

describe("a change of an item", () => {
  const setUp = async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const { body } = await team.add(id, { title: "Tip", photo: photo() });
    return { team, id, path: `/pools/${id}/videos/${body.items[0].id}` };
  };

  test("makes it repeat, changes how, and ends that", async () => {
    const { team, id, path } = await setUp();
    const body = { repeat: { every: { days: 5 }, times: 4 }, variants: ["Other words"] };
    expect((await team.send("PATCH", path, body)).item).toMatchObject({ ...body, dispatched: 0 });
    await fireOn(team, "2026-12-01");
    const sooner = { repeat: { every: { days: 2 }, times: 4 } };
    expect((await team.send("PATCH", path, sooner)).item).toMatchObject({
      ...{ ...sooner, variants: ["Other words"], dispatched: 1, notBefore: "2026-12-03T09:30" },
    });
    expect((await team.send("PATCH", path, { variants: null })).item.variants).toEqual([]);
    const { item } = await team.send("PATCH", path, { repeat: null });
    expect(item.repeat).toEqual({ every: { days: 2 }, times: 2 });
    for (const day of days(2, 6)) await fireOn(team, day);
    expect(await team.items(id, "dispatched")).toMatchObject([{ dispatched: 2 }]);
    expect((await team.call("PATCH", path, body)).body).toMatchObject({ code: "NOT_CANCELLABLE" });
  });

  test("to no repeat before its first turn leaves a plain item", async () => {
    const { team, path } = await setUp();
    await team.send("PATCH", path, { repeat: { every: { days: 5 }, times: 4 }, variants: ["B"] });
    const { item } = await team.send("PATCH", path, { repeat: null });
    expect(item).not.toHaveProperty("repeat");
    expect(item).not.toHaveProperty("variants");
  });

  test("is refused where it cannot be", async () => {
    const { team, path } = await setUp();
    const other = await PoolTeam.make();
    expect((await other.call("PATCH", path, { repeat: null })).body.code).toBe("FORBIDDEN");
    expect((await team.call("PATCH", `${path}99`, { repeat: null })).body.code).toBe("NOT_FOUND");
    const alone = await team.call("PATCH", path, { variants: ["A"] });
    expect([alone.body.code, fieldsOf(alone.body.errors)]).toEqual(["VALIDATION", ["variants"]]);
    expect((await team.call("PATCH", path, {})).status).toBe(400);
    await team.send("PATCH", path, { repeat: { every: { days: 3 }, times: 9 } });
    for (const day of ["2026-12-01", "2026-12-05"]) await fireOn(team, day);
    const few = await team.call("PATCH", path, { repeat: { every: { days: 3 }, times: 2 } });
    expect(fieldsOf(few.body.errors)).toEqual(["repeat.times"]);
  });
});

describe("repeat and variants", () => {
  const long = "x".repeat(400);
  test.each([
    ["no JSON", { repeat: "{" }, ["repeat"]],
    ["no object", { repeat: "7" }, ["repeat"]],
    ["no times", { repeat: '{"every":{"days":3}}' }, ["repeat.times"]],
    ["no days", { repeat: '{"every":{},"times":3}' }, ["repeat.every.days"]],
    [
      "another unit",
      { repeat: '{"every":{"days":1,"weeks":3},"times":3}' },
      ["repeat.every.weeks"],
    ],
    ["days of 0", { repeat: repeat(0, 3) }, ["repeat.every.days"]],
    ["days of 3651", { repeat: repeat(3_651, 3) }, ["repeat.every.days"]],
    ["half a day", { repeat: repeat(1.5, 3) }, ["repeat.every.days"]],
    ["times of 1", { repeat: repeat(3, 1) }, ["repeat.times"]],
    ["times of 1001", { repeat: repeat(3, 1_001) }, ["repeat.times"]],
    ["no variants", { repeat: repeat(3, 2), variants: "[]" }, ["variants"]],
    ["a blank variant", { repeat: repeat(3, 2), variants: '["a"," "]' }, ["variants.1"]],
    ["a number", { repeat: repeat(3, 2), variants: "[1]" }, ["variants.0"]],
    [
      "21 variants",
      { repeat: repeat(3, 2), variants: JSON.stringify(Array(21).fill("a")) },
      ["variants"],
    ],
    [
      "a variant beyond the account's platform",
      { repeat: repeat(3, 2), variants: JSON.stringify(["a", long, "b", long]) },
      ["variants.1", "variants.3"],
    ],
    ["variants alone", { variants: '["a"]' }, ["variants"]],
  ])("%s is refused by its field, and nothing is kept", async (_, fields, refused) => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const { status, body } = await team.add(id, { ...fields, photo: photo() });
    expect([status, body.code, fieldsOf(body.errors)]).toEqual([400, "VALIDATION", refused]);
    expect(await team.items(id)).toEqual([]);
  });

  test.each([
    [repeat(0, 3), "repeat.every.days: must be a whole number from 1 to 3,650"],
    ['{"every":{"days":3}}', "repeat.times: must be a whole number from 2 to 1,000"],
    ['{"every":{"weeks":3},"times":3}', "repeat.every.weeks: is not a field of repeat; send days"],
    ["7", 'repeat: must be an object, such as {"every":{"days":30},"times":6}'],
  ])("%s is refused in plain words", async (sent, message) => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const { body } = await team.add(id, { repeat: sent, photo: photo() });
    expect(body.errors.map((one: { message: string }) => one.message)).toContain(message);
  });

  test("are taken with items by URL, and refused by their place in the call", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const item = { title: "Tip", videoUrl: "https://example.com/a.mp4" };
    const good = { ...item, repeat: { every: { days: 30 }, times: 6 }, variants: ["B", "C"] };
    const added = await team.send("POST", `/pools/${id}/videos/bulk`, { items: [item, good] });
    expect(added.added).toBe(2);
    const [plain, repeating] = await team.items(id);
    expect(plain).not.toHaveProperty("repeat");
    expect(repeating).toMatchObject({ repeat: good.repeat, variants: ["B", "C"], dispatched: 0 });
    const bad = { ...good, variants: ["B", long] };
    const refused = await team.call("POST", `/pools/${id}/videos/bulk`, { items: [good, bad] });
    expect(fieldsOf(refused.body.errors)).toEqual(["items.1.variants.1"]);
    const malformed = { ...item, repeat: { every: { days: 0 }, times: 6 } };
    const other = await team.call("POST", `/pools/${id}/videos/bulk`, { items: [malformed] });
    expect(fieldsOf(other.body.errors)).toEqual(["items.0.repeat.every.days"]);
  });

  test("belong to what a repeated call is compared by", async () => {
    const team = await PoolTeam.make();
    const { id } = await team.pool();
    const key = { "idempotency-key": "evergreen" };
    const fields = { video: mp4(), repeat: repeat(3, 3) };
    const first = await team.add(id, fields, key);
    expect((await team.add(id, fields, key)).body).toEqual(first.body);
    const other = await team.add(id, { ...fields, repeat: repeat(3, 4) }, key);
    expect(other.body.code).toBe("IDEMPOTENCY_MISMATCH");
  });
});

test("the capacity of a pool counts repeats until a slot finds nothing", async () => {
  const team = await PoolTeam.make();
  const { id } = await team.pool();
  const names = ["One", "Two", "Three", "Four"];
  for (const [i, title] of names.entries()) {
    await team.add(id, { title, photo: photo(i + 10), repeat: repeat(4, 3) });
  }
  const capacity = (count: number) => team.send("GET", `/pools/${id}/capacity?count=${count}`);
  expect(await capacity(2)).toMatchObject({
    ...{ queued: 4, daysOfContent: 12, publications: 12, warning: null },
    afterAdd: { queued: 6, daysOfContent: 14 },
  });
  const gap = await team.pool();
  await team.add(gap.id, { title: "Rare", photo: photo(50), repeat: repeat(30, 12) });
  expect(await team.send("GET", `/pools/${gap.id}/capacity?count=0`)).toMatchObject({
    ...{ queued: 1, daysOfContent: 1, publications: 12 },
  });
});

const ROUNDS = loadOf(4, 40);

test(`${ROUNDS} days of doubled ticks and messages: an item goes once each, at one slot at a time`, async () => {
  const team = await PoolTeam.make();
  const slots = Array.from({ length: 6 }, (_, i) => team.slot({ time: `10:0${i}` }));
  const { id } = await team.pool({ slots });
  const names = ["One", "Two", "Three", "Four"];
  await team.fill(id, [...names, "Passed over on the second day"]);
  const words = Array.from({ length: 9 }, () => "hex(randomblob(30))").join();
  await env.DB.prepare(
    `UPDATE pool_items SET repeat_days = 1, repeat_times = 1000,
       variants = iif(title LIKE 'Passed%', NULL, json_array(${words})) WHERE pool_id = ?`,
  )
    .bind(Number(id))
    .run();
  for (let day = 0; day < ROUNDS; day++) {
    const start = Date.parse("2026-12-01T10:00:00Z") + day * 86_400_000;
    team.moveTo(new Date(start + 6 * 60_000).toISOString());
    await Promise.all([0, 1, 2].map(() => team.harness.tick(new Date(start + 6 * 60_000))));
    const fires = team.harness.sent.splice(0).map(({ message }) => message);
    await Promise.all(
      [...fires, ...fires, ...fires].map((message) => team.harness.consume([message])),
    );
    await team.harness.drain();
    await Promise.all(fires.map((message) => team.harness.consume([message])));
    await team.harness.drain();
  }
  const { results } = await env.DB.prepare(
    `SELECT COUNT(item_id) AS taken, COUNT(DISTINCT item_id) AS items, COUNT(*) AS firings,
       SUM(outcome = 'item' OR outcome = 'empty' OR outcome = 'skipped') AS ended
     FROM pool_firings WHERE pool_id = ? GROUP BY local_day ORDER BY local_day`,
  )
    .bind(Number(id))
    .all<{ taken: number; items: number; firings: number; ended: number }>();
  expect(results.map(({ taken }) => taken).slice(0, 4)).toEqual([5, 4, 4, 5]);
  for (const { taken, items, firings, ended } of results) {
    expect([items, firings, ended]).toEqual([taken, 6, 6]);
  }
  const posts = await env.DB.prepare(
    "SELECT COUNT(*) AS n, SUM(status = 'completed') AS out FROM uploads WHERE team_id = ?",
  )
    .bind(team.member.teamId)
    .first();
  const taken = results.reduce((sum, row) => sum + row.taken, 0);
  expect(posts).toEqual({ n: taken, out: taken });
}, 300_000);
