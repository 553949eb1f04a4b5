import { expect, test } from "vitest";
import { claimUpload } from "../../../src/features/publishing/claim.ts";
import { aroundBatches } from "../../support/database.ts";
import { createToken } from "../../support/harness.ts";
import { testJpeg } from "../../support/videos.ts";
import { drifts, finish, onStage, type Stage, whileDown } from "./support.ts";

const LINK = "Read example.com";
const PLAIN = "Nothing to read";

/** A paid post that waits for X. */
async function betweenTries(title: string): Promise<{ stage: Stage; id: number }> {
  const stage = await onStage();
  const photo = new Blob([testJpeg], { type: "image/jpeg" });
  const id = await stage.post({ title, photo });
  await whileDown(() => stage.harness.deliver());
  expect(await stage.read(id)).toMatchObject({
    status: "pending",
    xCredits: { net: title === LINK ? 15 : 1 },
  });
  return { stage, id };
}

const edit = ({ harness, member }: Stage, id: number, json: object, token = member.token) =>
  harness.call("PATCH", `/upload/${id}`, { token, json });

const inAnHour = ({ harness }: Stage): string =>
  new Date(harness.deps.now().getTime() + 3_600_000).toISOString();

test.each([
  ["a link is added to it", PLAIN, LINK, { spent: 16, refunded: 1, net: 15 }],
  ["its link is taken out", LINK, PLAIN, { spent: 16, refunded: 15, net: 1 }],
  ["it has another link", LINK, "See example.org", { spent: 30, refunded: 15, net: 15 }],
])(
  "a post edited between two tries costs what goes out: %s",
  async (_, before, title, xCredits) => {
    const { stage, id } = await betweenTries(before);
    expect(await edit(stage, id, { title })).toMatchObject({ status: 200 });
    expect(await stage.read(id)).toMatchObject({ status: "pending", xCredits: { net: 0 } });
    await finish(stage);
    expect(await stage.read(id)).toMatchObject({ status: "completed", title, xCredits });
    expect(await stage.credits()).toMatchObject({ total: 50 - xCredits.net });
    expect(await drifts(stage)).toEqual([]);
  },
);

test("a post put off between two tries pays when it goes out", async () => {
  const { stage, id } = await betweenTries(LINK);
  await edit(stage, id, { scheduledFor: inAnHour(stage) });
  expect(await stage.read(id)).toMatchObject({ status: "scheduled", xCredits: { net: 0 } });
  expect(await stage.credits()).toMatchObject({ total: 50 });
  stage.harness.advance(3_600);
  await stage.harness.tick();
  await finish(stage);
  expect(await stage.read(id)).toMatchObject({ status: "completed", xCredits: { net: 15 } });
  expect(await stage.credits()).toMatchObject({ total: 35 });
  expect(await drifts(stage)).toEqual([]);
});

test.each([
  ["text", () => ({ title: "Another" })],
  ["date", (stage: Stage) => ({ scheduledFor: inAnHour(stage) })],
])(
  "a post that an edit of its %s sends back to approval costs nothing, removed or not",
  async (_, json) => {
    const { stage, id } = await betweenTries(LINK);
    const { harness, member } = stage;
    const asking = await createToken(member.userId, { scopes: ["posts:write"] });
    expect((await edit(stage, id, json(stage), asking)).body.data.status).toBe("pending_approval");
    expect(await stage.read(id)).toMatchObject({ xCredits: { spent: 15, refunded: 15, net: 0 } });
    await harness.call("DELETE", `/upload/${id}`, { token: member.token });
    expect(await stage.credits()).toMatchObject({ total: 50 });
    expect(await drifts(stage)).toEqual([]);
  },
);

test("an edit that comes too late gives nothing back", async () => {
  const { stage, id } = await betweenTries(LINK);
  const { deps } = stage.harness;
  stage.harness.advance(31);
  const { db } = deps;
  let isFirst = true;
  const restore = aroundBatches(stage.harness, async (run) => {
    if (isFirst) {
      isFirst = false;
      await claimUpload({ ...deps, db }, id);
    }
    return run();
  });
  expect((await edit(stage, id, { title: PLAIN })).body.code).toBe("UPLOAD_LOCKED");
  restore();
  expect(await stage.read(id)).toMatchObject({ title: LINK, xCredits: { net: 15 } });
  expect(await stage.credits()).toMatchObject({ total: 35 });
});

test("of two edits at once, the credits come back once", async () => {
  const { stage, id } = await betweenTries(LINK);
  const answers = await Promise.all([
    edit(stage, id, { title: PLAIN }),
    edit(stage, id, { title: `${PLAIN} more` }),
    edit(stage, id, { scheduledFor: inAnHour(stage) }),
  ]);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  expect(await stage.read(id)).toMatchObject({ xCredits: { spent: 15, refunded: 15 } });
  expect(await stage.credits()).toMatchObject({ total: 50 });
  expect(await drifts(stage)).toEqual([]);
});
