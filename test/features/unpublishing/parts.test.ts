import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Ctx } from "../../../src/deps.ts";
import { accountById } from "../../../src/features/accounts/repo.ts";
import { ownUpload } from "../../../src/features/posts/repo/read.ts";
import { claimRemoval } from "../../../src/features/unpublishing/repo.ts";
import { takeDown } from "../../../src/features/unpublishing/take-down.ts";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { openStage } from "../../support/stage.ts";

async function claimed(count: number) {
  const stage = await openStage("x");
  const ids: string[] = [];
  let uploadId = 0;
  for (let n = 0; n < count; n++) {
    const { upload } = await stage.publish({ description: `Part ${n}` });
    ids.unshift(upload.metadata.videoId);
    uploadId = upload.id;
  }
  const { deps } = stage.harness;
  const team = stage.member.teamId;
  const connector = connectorOf("x");
  const { calls } = connector.removal;
  if (!calls) throw new Error("X deletes posts.");
  const read = async () => (await deps.db.run([ownUpload(sql`${team}`, uploadId)]))[0][0];
  const claim = async () => {
    const upload = await read();
    const [[account]] = await deps.db.run([accountById(team, stage.accountId)]);
    if (!upload || !account) throw new Error("There is no such post.");
    const until = new Date(Date.now() + 120_000);
    const [changed] = await deps.db.run([claimRemoval(upload, deps.now(), until)]);
    const actor = { teamId: team, userId: 1, tokenId: null, name: "ada@example.com" };
    const ctx = { ...deps, actor } as unknown as Ctx;
    const work = { ctx, upload, account, connector, calls };
    return { changed, work, lease: { id: uploadId, until } };
  };
  return { stage, ids, claim, read };
}

test("the ids of a post go in order, and each is stored before the next", async () => {
  const { stage, ids, claim, read } = await claimed(3);
  const { work, lease } = await claim();
  const { calls } = await stage.watch(
    () => takeDown(work, ids, lease).catch(() => {}),
    async (call, answer) =>
      call.url.pathname.endsWith(ids[2] ?? "") ? new Response("{}", { status: 429 }) : answer(),
  );
  expect(calls).toEqual(ids.map((id) => `DELETE /2/tweets/${id}`));
  const done = ids.slice(0, 2).map((id) => ({ id, how: "deleted" }));
  expect(await read()).toMatchObject({
    removals: done,
    unpublishedAt: null,
    unpublishLeaseUntil: null,
    unpublishStartedAt: expect.any(Date),
  });
  const again = await claim();
  const rest = await stage.watch(() => takeDown(again.work, ids, again.lease));
  expect(rest.calls).toEqual([`DELETE /2/tweets/${ids[2]}`]);
  expect((await read())?.removals).toHaveLength(3);
  expect(await stage.feed()).toEqual([]);
});

test("a call that another one has overtaken stops", async () => {
  const { stage, ids, claim, read } = await claimed(2);
  const { work, lease } = await claim();
  await stage.watch(async () => {
    stage.harness.advance(130);
    expect((await claim()).changed).toBe(1);
    await expect(takeDown(work, ids, lease)).rejects.toMatchObject({ code: "UPLOAD_LOCKED" });
  });
  expect(await read()).toMatchObject({ removals: null, unpublishedAt: null });
});
