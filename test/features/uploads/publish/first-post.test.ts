import { expect, test } from "vitest";
import { connectSandbox, createMember, form, Harness } from "../../../support/harness.ts";

test("a text post goes from the call to the platform", async () => {
  const harness = new Harness();
  const member = await createMember();
  const accountId = await connectSandbox(harness, member);
  const created = await harness.call("POST", "/upload", {
    token: member.token,
    body: form({ accountId, description: "Hello from Akimbo #first https://example.com" }),
  });
  expect(created).toMatchObject({
    status: 200,
    body: { success: true, data: { status: "pending" } },
  });

  await harness.drain();
  const read = await harness.call("GET", `/upload/${created.body.data.uploadId}`, {
    token: member.token,
  });
  expect(read.body.data).toMatchObject({ status: "completed", failure: null });
  expect(read.body.data.metadata.shareUrl).toMatch(/^https:\/\/bsky\.app\/profile\//);
});
