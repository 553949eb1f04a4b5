import { expect, test } from "vitest";
import { type Fields, form } from "../../support/harness.ts";
import { testJpeg } from "../../support/videos.ts";
import { drifts, finish, onStage, type Stage, whileDown } from "./support.ts";

const LINK = "Read example.com";

/** A team with 5 credits left. */
async function nearlyOut(): Promise<Stage> {
  const stage = await onStage();
  for (let i = 0; i < 3; i++) await stage.publish({ title: `${LINK} ${i}` });
  expect(await stage.credits()).toMatchObject({ total: 5 });
  return stage;
}

const SHORT = expect.stringMatching(
  /^Not enough X credits: a post with a link costs 15, and 5 are left \(5 of the month's 50, 0 purchased\)\. The included credits are back on \d{4}-\d\d-01\.$/,
);

const send = ({ harness, member, accountId }: Stage, fields: Fields) =>
  harness.call("POST", "/upload", {
    token: member.token,
    body: form({ accountId, ...fields }),
  });

test("a post that cannot be paid for is refused when it is created", async () => {
  const stage = await nearlyOut();
  const answer = await send(stage, { title: LINK });
  expect(answer).toMatchObject({ status: 409, body: { code: "PLAN_LIMIT", error: SHORT } });
  expect(await send(stage, { title: "No link" })).toMatchObject({ status: 200 });
});

test("bulk and the dry run say the same", async () => {
  const stage = await nearlyOut();
  const { harness, member, accountId } = stage;
  const call = (path: string) =>
    harness.call("POST", path, {
      token: member.token,
      body: form({ accounts: JSON.stringify([accountId]), title: LINK }),
    });
  const refusals = [{ accountId, error: SHORT }];
  expect((await call("/upload/validate")).body).toMatchObject({ valid: false, errors: refusals });
  expect((await call("/upload/bulk")).body).toMatchObject({ results: refusals });
});

test("what is planned for next month has next month's credits", async () => {
  const stage = await nearlyOut();
  const now = stage.harness.deps.now();
  const soon = new Date(now.getTime() + 3_600_000).toISOString();
  const nextMonth = new Date(
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 3),
  ).toISOString();
  expect(await send(stage, { title: LINK, schedule_date: soon })).toMatchObject({ status: 409 });
  expect(await send(stage, { title: LINK, schedule_date: nextMonth })).toMatchObject({
    status: 200,
  });
});

test("a draft costs nothing yet", async () => {
  const stage = await nearlyOut();
  expect(await send(stage, { title: LINK, status: "draft" })).toMatchObject({ status: 200 });
});

test("a retry is refused when it cannot be paid for", async () => {
  const stage = await onStage();
  const failed = await stage.publish({ title: `${LINK} [sandbox:unknown]` });
  for (let i = 0; i < 3; i++) await stage.publish({ title: `${LINK} ${i}` });
  const { harness, member } = stage;
  const answer = await harness.call("POST", `/upload/${failed.id}/retry`, {
    token: member.token,
    json: { force: true },
  });
  expect(answer).toMatchObject({ status: 409, body: { code: "PLAN_LIMIT", error: SHORT } });
  expect((await stage.read(failed.id)).status).toBe("failed");
});

test("a retry goes out now, whatever was planned, and is paid from what is left now", async () => {
  const stage = await nearlyOut();
  const { harness, member } = stage;
  const now = harness.deps.now();
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 3));
  const planned = await send(stage, { title: LINK, schedule_date: nextMonth.toISOString() });
  const id: number = planned.body.data.uploadId;
  await harness.call("DELETE", `/upload/${id}`, { token: member.token });
  const answer = await harness.call("POST", `/upload/${id}/retry`, {
    token: member.token,
    json: { force: true },
  });
  const back = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString();
  expect(answer).toMatchObject({ status: 409, body: { code: "PLAN_LIMIT", error: SHORT } });
  expect(answer.body.error).toContain(`back on ${back.slice(0, 10)}.`);
});

test("of all that failed, as many are retried as can be paid for", async () => {
  const stage = await onStage();
  const { harness, member } = stage;
  const ids: number[] = [];
  for (let i = 0; i < 4; i++) ids.push(await stage.post({ title: `${LINK} ${i}` }));
  await whileDown(() => finish(stage), 429);
  for (const id of ids) expect(await stage.read(id)).toMatchObject({ status: "failed" });
  const { body } = await harness.call("POST", "/upload/retry-failed", { token: member.token });
  expect(body.data).toEqual({
    retried: ids.slice(0, 3),
    skipped: [{ uploadId: ids[3], platform: "x", code: "PLAN_LIMIT", reason: SHORT }],
  });
});

test.each<[string, (stage: Stage, id: number) => [method: "DELETE", path: string]]>([
  ["called off", (_, id) => ["DELETE", `/upload/${id}`]],
  ["whose account is disconnected", ({ accountId }) => ["DELETE", `/accounts/${accountId}`]],
])("a post between two tries, %s, gets its credits back", async (_, request) => {
  const stage = await onStage();
  const { harness, member } = stage;
  const photo = new Blob([testJpeg], { type: "image/jpeg" });
  const id = await stage.post({ title: LINK, photo });
  await whileDown(() => harness.deliver());
  expect(await stage.read(id)).toMatchObject({ status: "pending", xCredits: { net: 15 } });
  const answer = await harness.call(...request(stage, id), { token: member.token });
  expect(answer.status).toBe(200);
  expect(await stage.read(id)).toMatchObject({
    status: "failed",
    xCredits: { spent: 15, refunded: 15, net: 0 },
  });
  expect(await stage.credits()).toMatchObject({ total: 50 });
  expect(await drifts(stage)).toEqual([]);
});
