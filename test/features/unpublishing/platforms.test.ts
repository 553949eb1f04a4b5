import { expect, test } from "vitest";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { ROWS } from "../../platforms/rows.ts";
import { grantDeleting } from "../../support/grant.ts";
import { openStage, type Stage } from "../../support/stage.ts";

const KINDS = ROWS.flatMap((row) =>
  Object.entries(row.kinds).map(([kind, { fields }]) => ({
    row,
    fields,
    name: `${row.as ?? row.platform}: ${kind}`,
  })),
);

const unpublish = ({ harness, member }: Stage, id: number) =>
  harness.call("POST", `/upload/${id}/unpublish`, { token: member.token });

const DELETION = /^DELETE |deleteRecord$|deleteMessages$/;

const nameOf = ({ request, url }: { request: Request; url: URL }) =>
  `${request.method} ${url.pathname}`;

async function open(row: (typeof ROWS)[number]) {
  const { platform } = row;
  const stage = await openStage(platform, { ...row, nameOf, person: "Ada" });
  if (platform === "youtube" || platform === "threads") {
    await grantDeleting[platform](stage.member.teamId);
    await stage.connect();
  }
  return stage;
}

test.each(KINDS)("$name is taken down with one call, and only once", async ({ row, fields }) => {
  const stage = await open(row);
  const { upload } = await stage.publish(fields("Soon gone"));
  expect(upload).toMatchObject({ status: "completed", unpublishedAt: null });
  const { name, removal } = connectorOf(row.platform);
  const before = await stage.feed();
  const { result: first, calls } = await stage.watch(() => unpublish(stage, upload.id));
  const deletions = calls.filter((call) => DELETION.test(call));
  if (!removal.calls) {
    expect(first).toMatchObject({ status: 409, body: { code: "NOT_UNPUBLISHABLE" } });
    expect(first.body.error).toContain(removal.byHand);
    expect(first.body.shareUrl).toBe(upload.metadata.shareUrl);
    expect(calls).toEqual([]);
    expect(await stage.feed()).toEqual(before);
    return;
  }
  expect(first, JSON.stringify(first.body)).toMatchObject({
    status: 200,
    body: {
      message: `The post has been taken down from ${name}.`,
      data: {
        id: upload.id,
        status: "completed",
        platform: row.platform,
        platformPostId: upload.metadata.videoId,
        shareUrl: upload.metadata.shareUrl,
      },
    },
  });
  expect(deletions).toHaveLength(1);
  expect(calls.filter((call) => call !== deletions[0])).toEqual([]);
  expect(before.length - (await stage.feed()).length).toBe(1);
  const again = await stage.watch(() => unpublish(stage, upload.id));
  expect(again.result.body).toEqual(first.body);
  expect(again.calls).toEqual([]);
  expect((await stage.events()).filter((one) => one === "upload.unpublished")).toHaveLength(1);
  const { unpublishedAt } = first.body.data;
  expect(await stage.read(upload.id)).toMatchObject({ status: "completed", unpublishedAt });
});
