import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { claimUpload } from "../../../src/features/publishing/claim.ts";
import { createMember } from "../../support/harness.ts";
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

const remove = (id: number | string, token?: string) =>
  life.call("DELETE", `/upload/${id}`, undefined, token);
const read = (id: number) => life.call("GET", `/upload/${id}`);

test.each<[string, Columns, string | null]>([
  ["scheduled", { scheduled_for: later(3_600).getTime() }, later(3_600).toISOString()],
  ["pending", {}, null],
  ["pending", { backoffs: 1, due_at: later(30).getTime(), error_message: "Busy." }, null],
])("a post that is %s is cancelled, which is told once", async (status, columns) => {
  const id = await life.insert({ status, ...columns });
  const { scheduled_for: plan } = await life.row(id);
  expect(await remove(id)).toMatchObject({
    status: 200,
    body: {
      success: true,
      message: "The post has been cancelled.",
      data: { id, status: "failed" },
    },
  });
  expect((await read(id)).body.data).toMatchObject({
    status: "failed",
    failure: { code: "cancelled", retryable: false, nextAction: "none" },
    errorMessage: "Cancelled before it was published.",
  });
  expect(await life.row(id)).toMatchObject({ due_at: null, failed_at: Date.now() });
  expect(await life.events()).toEqual([
    {
      name: "upload.cancelled",
      data: {
        uploadId: id,
        platform: "bluesky",
        accountId: life.accountId,
        scheduledFor: plan === null ? null : new Date(plan).toISOString(),
      },
    },
  ]);
  life.harness.advance(7_200);
  await life.harness.tick();
  await life.harness.consume([{ kind: "publish", uploadId: id }]);
  expect(await life.row(id)).toMatchObject({ status: "failed", failure_code: "cancelled" });
});

test("the event tells the date to the millisecond", async () => {
  const at = new Date("2027-01-02T03:04:05.006Z");
  await remove(await life.insert({ status: "scheduled", scheduled_for: at.getTime() }));
  expect((await life.events())[0]?.data.scheduledFor).toBe(at.toISOString());
});

test.each(["draft", "pending_approval", "failed"])(
  "a post that is %s is removed, and needs its files no more",
  async (status) => {
    const [own = "", shared = ""] = await life.storeFiles(2);
    const media = mediaOf(own, shared);
    const [id = 0, other = 0] = await life.insertMany([
      { status, media },
      { status, media },
    ]);
    await env.DB.batch(
      [id, other].flatMap((upload) =>
        [own, shared].map((sha256) =>
          env.DB.prepare(
            "INSERT INTO media_uses (team_id, sha256, upload_id) VALUES (?, ?, ?)",
          ).bind(life.member.teamId, sha256, upload),
        ),
      ),
    );
    expect((await remove(id)).body).toEqual({
      success: true,
      message: "The post has been removed.",
      data: { id, status },
    });
    expect((await read(id)).status).toBe(404);
    expect((await life.call("GET", "/upload")).body.data).toHaveLength(1);
    expect(await life.row(id)).toMatchObject({ deleted_at: Date.now() });
    const { results } = await env.DB.prepare("SELECT upload_id FROM media_uses WHERE team_id = ?")
      .bind(life.member.teamId)
      .all();
    expect(results).toEqual([{ upload_id: other }, { upload_id: other }]);
    expect(await life.events()).toEqual([]);
    expect((await remove(id)).status).toBe(404);
  },
);

test.each<[string, Columns]>([
  ["processing", {}],
  ["processing", { lease_until: null, stage: "settling", due_at: later(30).getTime() }],
  ["completed", {}],
])("a post that is %s cannot be called back", async (status, columns) => {
  const id = await life.insert({ status, ...columns });
  const before = await life.row(id);
  expect(await remove(id)).toMatchObject({ status: 409, body: { code: "NOT_CANCELLABLE" } });
  expect(await life.row(id)).toEqual(before);
  expect(await life.events()).toEqual([]);
});

test("a cancelled post can be removed, and is not retried unless it is forced", async () => {
  const id = await life.insert({ status: "scheduled", scheduled_for: later(3_600).getTime() });
  await remove(id);
  expect(await life.call("POST", `/upload/${id}/retry`)).toMatchObject({
    status: 409,
    body: { code: "NOT_RETRYABLE" },
  });
  expect(await remove(id)).toMatchObject({ body: { message: "The post has been removed." } });
});

test("what is not there, or not the caller's, is not found; reading is not enough", async () => {
  const id = await life.insert();
  for (const path of ["abc", "0", "999999999"]) expect((await remove(path)).status).toBe(404);
  expect((await remove(id, (await createMember()).token)).status).toBe(404);
  const reader = await life.colleague("OWNER", ["posts:read"]);
  expect(await remove(id, reader)).toMatchObject({
    status: 403,
    body: { requiredScope: "posts:write" },
  });
  expect(await life.row(id)).toMatchObject({ status: "pending" });
});

test(`of ${RACES} deletions that race with the claim of a post, one side wins each`, {
  timeout: 60_000,
}, async () => {
  const due = Date.now();
  const { raced } = await raceOften(
    (i): Columns =>
      i % 2 === 0
        ? { status: "pending" }
        : { status: "scheduled", due_at: due, scheduled_for: due },
    (one, id, i) =>
      Promise.all([
        one.call("DELETE", `/upload/${id}`),
        lag(i % 6).then(() => claimUpload(one.harness.deps, id)),
      ]),
  );
  const seen = raced.map(({ outcome: [answer, claimed], row, told }, i) => {
    const began = i % 2 === 0 ? "pending" : "scheduled";
    if (answer.status === 200) {
      expect(claimed.kind).toBe("idle");
      expect(row).toMatchObject({ status: "failed", failure_code: "cancelled", fence: 0 });
      expect(told).toEqual(["upload.cancelled"]);
      return `${began}, cancelled`;
    }
    expect(answer).toMatchObject({ status: 409, body: { code: "NOT_CANCELLABLE" } });
    expect(claimed.kind).toBe("claimed");
    expect(row).toMatchObject({ status: "processing", fence: 1 });
    expect(told).toEqual([]);
    return `${began}, claimed`;
  });
  expect(new Set(seen)).toEqual(
    new Set([
      "pending, cancelled",
      "pending, claimed",
      "scheduled, cancelled",
      "scheduled, claimed",
    ]),
  );
});

test("of two deletions at once, one wins and tells it", async () => {
  const ids = await life.insertMany(Array.from({ length: 50 }, () => ({})));
  for (const id of ids) {
    const answers = await Promise.all([remove(id), remove(id)]);
    expect(answers.map(({ status }) => status)).toContain(200);
  }
  const told = (await life.events()).map(({ data }) => data.uploadId);
  expect(told.sort((a, b) => Number(a) - Number(b))).toEqual(ids);
});
