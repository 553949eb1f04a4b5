import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { FAILURE_CODES, FAILURES } from "../../../src/core/failures.ts";
import { DEFAULT_PLANS } from "../../../src/core/plans.ts";
import { claimUpload } from "../../../src/features/publishing/claim.ts";
import { fail } from "../../../src/features/publishing/failing.ts";
import { complete } from "../../../src/features/publishing/writes.ts";
import { createMember, harnessWith, START } from "../../support/harness.ts";
import {
  beginLife,
  type Columns,
  type Life,
  lag,
  later,
  mediaOf,
  RACES,
  raceOften,
} from "../../support/life.ts";

let life: Life;
beforeEach(async () => {
  life = await beginLife();
});

const retry = (id: number | string, json?: unknown, token?: string) =>
  life.call("POST", `/upload/${id}/retry`, json, token);
const retryFailed = (json?: unknown, token?: string) =>
  life.call("POST", "/upload/retry-failed", json, token);
const failed = (columns: Columns = {}): Columns => ({ status: "failed", ...columns });
const many = (count: number, columns: Columns) => Array.from({ length: count }, () => columns);

/** After an attempt that got far. */
const LATE = failed({
  attempt: 3,
  fence: 7,
  backoffs: 3,
  crashes: 2,
  restarts: 3,
  submits: 4,
  stage: "settling",
  bookmark: '{"container":"1"}',
  progressed_at: START.getTime(),
  submitted_at: START.getTime(),
});

describe("a failed post", () => {
  test("begins its next attempt from the start, at once", async () => {
    const id = await life.insert(LATE);
    const before = await life.row(id);
    life.harness.advance(60);
    const answer = await retry(id);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(answer.body.data).toEqual({ uploadId: id, status: "pending" });
    expect(await life.row(id)).toEqual({
      ...before,
      status: "pending",
      status_group: "pending",
      attempt: 4,
      fence: 8,
      backoffs: 0,
      crashes: 0,
      restarts: 0,
      submits: 0,
      stage: "preparing",
      bookmark: null,
      progressed_at: null,
      submitted_at: null,
      failed_at: null,
      failure_code: null,
      error_message: null,
      due_at: Date.now(),
      woken_at: Date.now(),
      text_digest: expect.stringContaining("files"),
    });
    expect(life.harness.sent).toMatchObject([{ message: { uploadId: id }, at: Date.now() }]);
    expect((await life.call("GET", `/upload/${id}`)).body.data).toMatchObject({
      status: "pending",
      failure: null,
      errorMessage: null,
    });
    await life.harness.drain();
    expect(await life.row(id)).toMatchObject({ status: "completed", attempt: 4 });
    expect((await life.events()).map(({ name }) => name)).toEqual(["upload.completed"]);
  });

  test.each(FAILURE_CODES)(
    "with failure %s is retried if that may help, or by force",
    async (code) => {
      const id = await life.insert(failed({ failure_code: code }));
      const answer = await retry(id, {});
      if (FAILURES[code].retryable) {
        expect(answer.body.data).toEqual({ uploadId: id, status: "pending" });
        return;
      }
      expect(answer).toMatchObject({ status: 409, body: { code: "NOT_RETRYABLE" } });
      expect(await retry(id, { force: false })).toMatchObject({ body: { code: "NOT_RETRYABLE" } });
      expect(await life.row(id)).toMatchObject({ status: "failed", attempt: 1 });
      expect((await retry(id, { force: true })).body.data).toEqual({
        uploadId: id,
        status: "pending",
      });
    },
  );

  test.each([
    ["no body", {}],
    ["no body, but its type", { headers: { "content-type": "application/json" } }],
    ["an empty object", { json: {} }],
  ])("is retried with %s", async (_, sent) => {
    const id = await life.insert(failed());
    const { token } = life.member;
    const answer = await life.harness.call("POST", `/upload/${id}/retry`, { token, ...sent });
    expect(answer.status).toBe(200);
  });

  test("keeps a plan that has passed, and gives up one whose time has not come", async () => {
    const past = later(-60).getTime();
    const future = later(3_600).getTime();
    const [old = 0, early = 0] = await life.insertMany([
      failed({ scheduled_for: past }),
      failed({ scheduled_for: future, failure_code: "cancelled" }),
    ]);
    await retry(old);
    expect(await life.row(old)).toMatchObject({ scheduled_for: past, sort_at: past });
    await retry(early, { force: true });
    const { created_at } = await life.row(early);
    expect(await life.row(early)).toMatchObject({ scheduled_for: null, sort_at: created_at });
  });

  test("needs its files again", async () => {
    const [sha = ""] = await life.storeFiles(1);
    const id = await life.insert(failed({ media: mediaOf(sha) }));
    await retry(id);
    const { results } = await env.DB.prepare(
      "SELECT team_id, sha256, upload_id FROM media_uses WHERE team_id = ?",
    )
      .bind(life.member.teamId)
      .all();
    expect(results).toEqual([{ team_id: life.member.teamId, sha256: sha, upload_id: id }]);
  });

  test("with a file that was never fetched is retried", async () => {
    const media = JSON.stringify([{ url: "https://cdn.example.com/a.png" }]);
    expect((await retry(await life.insert(failed({ media })))).status).toBe(200);
  });

  test.each([
    ["an owner's token without posts:publish", "OWNER", ["posts:write"], "pending_approval"],
    ["a member's token without posts:publish", "MEMBER", ["posts:write"], "pending_approval"],
    ["a member's token with posts:publish", "MEMBER", ["posts:publish"], "pending"],
    ["an admin's token for everything", "ADMIN", ["*"], "pending"],
  ] as const)("that %s retries as %s with %j is %s", async (_, role, scopes, status) => {
    const id = await life.insert(failed());
    const answer = await retry(id, {}, await life.colleague(role, [...scopes]));
    expect(answer.body.data).toEqual({ uploadId: id, status });
    const isHeld = status === "pending_approval";
    expect(await life.row(id)).toMatchObject({
      status,
      status_group: status,
      attempt: 2,
      due_at: isHeld ? null : Date.now(),
    });
    expect(life.harness.sent).toHaveLength(isHeld ? 0 : 1);
    const outcome = await claimUpload(life.harness.deps, id);
    expect(outcome.kind).toBe(isHeld ? "idle" : "claimed");
  });
});

describe("is refused with", () => {
  test.each(["draft", "pending_approval", "scheduled", "pending", "processing", "completed"])(
    "NOT_FAILED for a post that is %s",
    async (status) => {
      const id = await life.insert({ status, scheduled_for: later(60).getTime() });
      const before = await life.row(id);
      for (const json of [{}, { force: true }]) {
        expect(await retry(id, json)).toMatchObject({ status: 409, body: { code: "NOT_FAILED" } });
      }
      expect(await life.row(id)).toEqual(before);
    },
  );

  test.each(["pending", "processing"])(
    "ALREADY_RETRYING for a post that is %s after a back-off",
    async (status) => {
      const id = await life.insert({ status, backoffs: 1 });
      for (const json of [{}, { force: true }]) {
        const code = "ALREADY_RETRYING";
        expect(await retry(id, json)).toMatchObject({ status: 409, body: { code } });
      }
    },
  );

  test.each([
    ["expired", "UPDATE accounts SET status = 'expired' WHERE id = ?"],
    ["revoked", "UPDATE accounts SET status = 'revoked' WHERE id = ?"],
    ["disconnected", "UPDATE accounts SET deleted_at = 1 WHERE id = ?"],
  ])("ACCOUNT_INACTIVE for an account that is %s", async (_, change) => {
    const id = await life.insert(failed());
    await env.DB.prepare(change).bind(life.accountId).run();
    expect(await retry(id)).toMatchObject({ status: 409, body: { code: "ACCOUNT_INACTIVE" } });
  });

  test("MEDIA_EXPIRED when one of the files is gone, force or not", async () => {
    const [kept = "", gone = ""] = await life.storeFiles(2);
    const id = await life.insert(failed({ media: mediaOf(kept, gone) }));
    await env.DB.prepare("DELETE FROM media WHERE sha256 = ?").bind(gone).run();
    for (const json of [{}, { force: true }]) {
      const code = "MEDIA_EXPIRED";
      expect(await retry(id, json)).toMatchObject({ status: 409, body: { code } });
    }
    expect(await life.row(id)).toMatchObject({ status: "failed" });
  });

  test("MEDIA_EXPIRED when only another team has the file", async () => {
    const other = await beginLife(life.harness);
    const [sha = ""] = await other.storeFiles(1);
    const id = await life.insert(failed({ media: mediaOf(sha) }));
    expect(await retry(id)).toMatchObject({ body: { code: "MEDIA_EXPIRED" } });
  });

  test("DAILY_LIMIT at the cap, saying when there is room again", async () => {
    const out = { status: "completed", counted_at: later(-3_600).getTime() };
    await life.insertMany(many(150, out));
    const id = await life.insert(failed());
    const answer = await retry(id);
    expect(answer).toMatchObject({ status: 409, body: { code: "DAILY_LIMIT" } });
    expect(answer.body.error).toContain(later(23 * 3_600).toISOString());
    const held = await retry(id, {}, await life.colleague("OWNER", ["posts:write"]));
    expect(held.body.data).toEqual({ uploadId: id, status: "pending_approval" });
    life.harness.advance(23 * 3_600);
    const second = await life.insert(failed());
    expect((await retry(second)).status).toBe(200);
  });

  test("PLAN_LIMIT when the month is used up, or the plan lacks the platform", async () => {
    const { plans } = DEFAULT_PLANS;
    for (const owner of [
      { ...plans.owner, monthlyPosts: 2 },
      { ...plans.owner, platforms: ["x" as const] },
    ]) {
      const harness = harnessWith({ plans: { ...DEFAULT_PLANS, plans: { ...plans, owner } } });
      life = await beginLife(harness);
      await life.insertMany(many(2, { status: "completed", counted_at: 1 }));
      const id = await life.insert(failed());
      expect(await retry(id)).toMatchObject({ status: 409, body: { code: "PLAN_LIMIT" } });
    }
  });

  test("QUEUE_BUSY when the account has 100 posts on their way", async () => {
    await life.insertMany(many(99, {}));
    const [first = 0, second = 0] = await life.insertMany(many(2, failed()));
    expect((await retry(first)).status).toBe(200);
    expect(await retry(second)).toMatchObject({ status: 409, body: { code: "QUEUE_BUSY" } });
  });

  test("QUEUE_FULL when the team has 1,000", async () => {
    await life.insertMany(many(1_000, { account_id: "acc_another" }));
    const id = await life.insert(failed());
    expect(await retry(id)).toMatchObject({ status: 409, body: { code: "QUEUE_FULL" } });
  });

  test.each<[string, unknown]>([
    ["force as a string", { force: "true" }],
    ["an unknown field", { forced: true }],
    ["a list", []],
    ["null", null],
  ])("400 for %s", async (_, json) => {
    const id = await life.insert(failed());
    expect((await retry(id, json)).status).toBe(400);
    expect(await life.row(id)).toMatchObject({ status: "failed" });
  });

  test("400 for a body that is no JSON, 415 for another type; an empty one is none", async () => {
    const id = await life.insert(failed());
    expect(await retry(id, "{")).toMatchObject({ status: 400, body: { code: "INVALID_JSON" } });
    const { token } = life.member;
    const empty = { token, body: "", headers: { "content-type": "application/json" } };
    const retried = await life.harness.call("POST", `/upload/${id}/retry`, empty);
    expect(retried).toMatchObject({ status: 200, body: { data: { uploadId: id } } });
    const form = { token, body: "force=true" };
    expect((await life.harness.call("POST", `/upload/${id}/retry`, form)).status).toBe(415);
  });

  test("404 for what is not there, or not the caller's, and 403 for a reader", async () => {
    const id = await life.insert(failed());
    for (const path of ["abc", "0", "999999999"]) expect((await retry(path)).status).toBe(404);
    expect((await retry(id, {}, (await createMember()).token)).status).toBe(404);
    const removed = await life.insert(failed({ deleted_at: 1 }));
    expect((await retry(removed)).status).toBe(404);
    const reader = await life.colleague("OWNER", ["posts:read"]);
    expect(await retry(id, {}, reader)).toMatchObject({
      status: 403,
      body: { requiredScope: "posts:write" },
    });
    expect(await life.row(id)).toMatchObject({ status: "failed" });
  });
});

describe("with an Idempotency-Key", () => {
  const named = (id: number, key: string, json: unknown = {}) =>
    life.harness.call("POST", `/upload/${id}/retry`, {
      token: life.member.token,
      json,
      headers: { "idempotency-key": key },
    });

  test("a repeated call is answered as the first, for a day", async () => {
    const id = await life.insert(failed());
    const first = await named(id, "a");
    const again = await named(id, "a");
    expect(again.body).toEqual(first.body);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await life.row(id)).toMatchObject({ attempt: 2 });
    expect(life.harness.sent).toHaveLength(1);
    life.harness.advance(86_400);
    expect(await named(id, "a")).toMatchObject({ status: 409, body: { code: "NOT_FAILED" } });
  });

  test("of 20 calls at once one retries, and all have its answer", async () => {
    const id = await life.insert(failed());
    const answers = await Promise.all(Array.from({ length: 20 }, () => named(id, "a")));
    for (const { status, body } of answers) {
      expect([status, body.data]).toEqual([200, { uploadId: id, status: "pending" }]);
    }
    expect(await life.row(id)).toMatchObject({ attempt: 2 });
  });

  test("a key of another post, or another body, is a mismatch", async () => {
    const [one = 0, other = 0] = await life.insertMany(many(2, failed()));
    await named(one, "a");
    for (const answer of [await named(other, "a"), await named(one, "a", { force: true })]) {
      expect(answer).toMatchObject({ status: 422, body: { code: "IDEMPOTENCY_MISMATCH" } });
    }
    expect(await life.row(other)).toMatchObject({ status: "failed" });
  });

  test("of calls at once for different posts under one key, one retries its post", async () => {
    const ids = await life.insertMany(many(8, failed()));
    const answers = await Promise.all(ids.map((id) => named(id, "a")));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(ids.length - 1).fill(422)]);
    const rows = await Promise.all(ids.map((id) => life.row(id)));
    expect(rows.filter(({ status }) => status === "pending")).toHaveLength(1);
    expect(life.harness.sent).toHaveLength(1);
  });

  test("a refusal is not kept, nor is a retry that came too late", async () => {
    const id = await life.insert(failed({ failure_code: "media_invalid" }));
    expect((await named(id, "a")).status).toBe(409);
    const answers = await Promise.all(
      ["b", "c", "d"].map((key) => named(id, key, { force: true })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const { results } = await env.DB.prepare("SELECT key FROM idempotency WHERE team_id = ?")
      .bind(life.member.teamId)
      .all();
    expect(results).toHaveLength(1);
  });

  test("a key that is too long is refused", async () => {
    const id = await life.insert(failed());
    expect((await named(id, "k".repeat(256))).status).toBe(400);
  });
});

describe("races", () => {
  const retryIn = (one: Life, id: number) => one.call("POST", `/upload/${id}/retry`);

  test(`of two retries at once one wins, ${RACES} times`, { timeout: 60_000 }, async () => {
    const { raced, sent } = await raceOften(
      () => failed(),
      (one, id) => Promise.all([retryIn(one, id), retryIn(one, id)]),
    );
    for (const { outcome, row, told } of raced) {
      expect(outcome.map(({ status }) => status).sort()).toEqual([200, 409]);
      const loser = outcome.find(({ status }) => status === 409);
      expect(loser?.body.code).toBe("NOT_FAILED");
      expect(row).toMatchObject({ status: "pending", attempt: 2 });
      expect(told).toEqual([]);
    }
    expect(sent).toBe(RACES);
  });

  test(`a retry and the last automatic one, ${RACES} times`, { timeout: 60_000 }, async () => {
    const isOut = (i: number) => i % 2 === 0;
    const { raced, sent } = await raceOften(
      () => ({ status: "pending", backoffs: 3, error_message: "Busy." }),
      async (one, id, i) => {
        const { deps } = one.harness;
        const automatic = async () => {
          const taken = await claimUpload(deps, id);
          if (taken.kind !== "claimed") throw new Error(`The post is ${taken.kind}.`);
          const { upload } = taken.claim;
          if (!isOut(i)) return fail(deps, upload, { code: "unknown", message: "It broke." });
          return complete(deps, upload, { metadata: { videoId: "3k", shareUrl: null } }, false);
        };
        const late = lag(Math.floor(i / 2) % 3).then(() => retryIn(one, id));
        return (await Promise.all([late, automatic()]))[0];
      },
    );
    const seen = raced.map(({ outcome, row, told }, i) => {
      expect(told).toEqual([isOut(i) ? "upload.completed" : "upload.failed"]);
      const next = outcome.status === 200 ? ["pending", 2] : [told[0]?.split(".")[1], 1];
      expect([row.status, row.attempt]).toEqual(next);
      return `${told} ${outcome.body.code ?? "retried"}`;
    });
    expect(new Set(seen)).toEqual(
      new Set([
        "upload.completed ALREADY_RETRYING",
        "upload.completed NOT_FAILED",
        "upload.failed ALREADY_RETRYING",
        "upload.failed retried",
      ]),
    );
    expect(sent).toBe(seen.filter((one) => one.endsWith("retried")).length);
  });

  test(`a retry and a deletion: one wins, ${RACES} times`, { timeout: 60_000 }, async () => {
    const { raced, sent } = await raceOften(
      () => failed(),
      (one, id, i) =>
        Promise.all([retryIn(one, id), lag(i % 6).then(() => one.call("DELETE", `/upload/${id}`))]),
    );
    const seen = raced.map(({ outcome: [retried, deleted], row, told }) => {
      if (row.deleted_at !== null) {
        // A removed post is a 404 for the retry.
        expect([row.status, row.attempt, deleted.status]).toEqual(["failed", 1, 200]);
        expect(retried).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
        expect(told).toEqual([]);
        return "removed";
      }
      expect([row.attempt, retried.status]).toEqual([2, 200]);
      if (deleted.status === 200) {
        // A deletion that comes after the retry finds a post that waits, and cancels it.
        expect(row).toMatchObject({ status: "failed", failure_code: "cancelled" });
        expect(told).toEqual(["upload.cancelled"]);
        return "retried, then cancelled";
      }
      expect(deleted).toMatchObject({ status: 409, body: { code: "NOT_CANCELLABLE" } });
      expect(row.status).toBe("pending");
      expect(told).toEqual([]);
      return "retried";
    });
    expect(new Set(seen)).toEqual(new Set(["removed", "retried", "retried, then cancelled"]));
    expect(sent).toBe(seen.filter((one) => one !== "removed").length);
  });
});

describe("retry-failed", () => {
  test("retries what failed in 24 hours and may be retried, oldest first", async () => {
    const at = (seconds: number) => later(seconds).getTime();
    const ids = await life.insertMany([
      failed({ sort_at: at(-10) }),
      failed({ sort_at: at(-30) }),
      failed({ sort_at: at(-20), failure_code: "media_invalid" }),
      failed({ sort_at: at(-20), failure_code: "rate_limited", failed_at: at(-86_399) }),
      failed({ failed_at: at(-86_400) }),
      failed({ deleted_at: 1 }),
      { status: "completed" },
      { status: "pending" },
      { status: "draft" },
    ]);
    const answer = await retryFailed();
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    expect(answer.body.data).toEqual({ retried: [ids[1], ids[3], ids[0]], skipped: [] });
    for (const id of [ids[1], ids[3], ids[0]]) {
      expect(await life.row(id ?? 0)).toMatchObject({ status: "pending", attempt: 2, fence: 2 });
    }
    expect(life.harness.sent.map(({ message }) => message.uploadId)).toEqual([
      ids[1],
      ids[3],
      ids[0],
    ]);
    expect((await retryFailed({})).body.data).toEqual({ retried: [], skipped: [] });
    await life.harness.drain();
    expect(await life.row(ids[0] ?? 0)).toMatchObject({ status: "completed" });
  });

  test("keeps to an account or a platform, and to the team", async () => {
    const other = await beginLife(life.harness);
    const foreign = await other.insert(failed());
    const [one = 0, second = 0] = await life.insertMany([failed(), failed({ platform: "x" })]);
    const none = { retried: [], skipped: [] };
    expect((await retryFailed({ accountId: "acc_none" })).body.data).toEqual(none);
    expect((await retryFailed({ accountId: other.accountId })).body.data).toEqual(none);
    expect((await retryFailed({ platform: "tiktok" })).body.data).toEqual(none);
    const { accountId } = life;
    expect((await retryFailed({ accountId, platform: "x" })).body.data.retried).toEqual([second]);
    expect((await retryFailed({ accountId })).body.data.retried).toEqual([one]);
    expect(await life.row(foreign)).toMatchObject({ status: "failed" });
  });

  test("says what it skipped and why", async () => {
    const inactive = await life.call("POST", "/accounts", {
      platform: "bluesky",
      sandbox: true,
      name: "Gone",
    });
    const account_id = inactive.body.data.id;
    await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?")
      .bind(account_id)
      .run();
    const [fine = 0, media = 0, account = 0] = await life.insertMany([
      failed(),
      failed({ media: mediaOf("0".repeat(64)) }),
      failed({ account_id }),
    ]);
    const { data } = (await retryFailed()).body;
    expect(data.retried).toEqual([fine]);
    const reason = expect.stringMatching(/^[A-Z].+\.$/);
    expect(data.skipped).toEqual([
      { uploadId: media, platform: "bluesky", code: "MEDIA_EXPIRED", reason },
      { uploadId: account, platform: "bluesky", code: "ACCOUNT_INACTIVE", reason },
    ]);
  });

  test("counts the daily cap as it goes on", async () => {
    const out = { status: "completed", counted_at: later(-3_600).getTime() };
    await life.insertMany(many(148, out));
    const ids = await life.insertMany(many(4, failed()));
    const { data } = (await retryFailed()).body;
    expect(data.retried).toEqual(ids.slice(0, 2));
    expect(data.skipped.map(({ code }: { code: string }) => code)).toEqual([
      "DAILY_LIMIT",
      "DAILY_LIMIT",
    ]);
    expect(data.skipped[0].reason).toContain(later(23 * 3_600).toISOString());
  });

  test("counts the account's queue as it goes on", async () => {
    await life.insertMany(many(98, {}));
    await life.insertMany(many(3, failed()));
    const { data } = (await retryFailed()).body;
    expect(data.retried).toHaveLength(2);
    expect(data.skipped).toMatchObject([{ code: "QUEUE_BUSY" }]);
  });

  test("counts the team's queue as it goes on", async () => {
    await life.insertMany(many(999, { account_id: "acc_another" }));
    await life.insertMany(many(2, failed()));
    const { data } = (await retryFailed()).body;
    expect(data.retried).toHaveLength(1);
    expect(data.skipped).toMatchObject([{ code: "QUEUE_FULL" }]);
  });

  test("counts the month as it goes on", async () => {
    const { plans } = DEFAULT_PLANS;
    const owner = { ...plans.owner, monthlyPosts: 2 };
    life = await beginLife(
      harnessWith({ plans: { ...DEFAULT_PLANS, plans: { ...plans, owner } } }),
    );
    await life.insert({ status: "completed" });
    await life.insertMany(many(2, failed()));
    const { data } = (await retryFailed()).body;
    expect(data.retried).toHaveLength(1);
    expect(data.skipped).toMatchObject([{ code: "PLAN_LIMIT" }]);
  });

  test("takes 500 at most, and the rest at the next call", async () => {
    const accounts = await Promise.all(
      ["B", "C", "D", "E", "F", "G"].map(async (name) => {
        const json = { platform: "bluesky", sandbox: true, name };
        return (await life.call("POST", "/accounts", json)).body.data.id as string;
      }),
    );
    await life.insertMany(
      Array.from({ length: 510 }, (_, i) => failed({ account_id: accounts[i % 6] ?? "" })),
    );
    expect((await retryFailed()).body.data.retried).toHaveLength(500);
    expect(life.harness.sent).toHaveLength(500);
    expect((await retryFailed()).body.data.retried).toHaveLength(10);
  });

  test("holds all of it for a token without posts:publish", async () => {
    const id = await life.insert(failed());
    const token = await life.colleague("OWNER", ["posts:write"]);
    expect((await retryFailed({}, token)).body.data.retried).toEqual([id]);
    expect(await life.row(id)).toMatchObject({ status: "pending_approval", due_at: null });
    expect(life.harness.sent).toEqual([]);
  });

  test("two calls at once retry each post once", async () => {
    const ids = await life.insertMany(many(50, failed()));
    const answers = await Promise.all([retryFailed(), retryFailed()]);
    const retried = answers.flatMap(({ body }) => body.data.retried);
    expect(retried.sort((a, b) => a - b)).toEqual(ids);
    const skipped = answers.flatMap(({ body }) => body.data.skipped);
    for (const { code } of skipped) expect(code).toBe("NOT_FAILED");
    for (const id of ids) expect(await life.row(id)).toMatchObject({ attempt: 2 });
  });

  test.each<[string, unknown]>([
    ["a platform that is none", { platform: "myspace" }],
    ["an account that is a number", { accountId: 1 }],
    ["an unknown field", { account: "acc_1" }],
    ["a list", []],
    ["no JSON", "{"],
  ])("refuses %s", async (_, json) => {
    const id = await life.insert(failed());
    expect((await retryFailed(json)).status).toBe(400);
    expect(await life.row(id)).toMatchObject({ status: "failed" });
  });
});
