import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { callTool } from "../../support/agent.ts";
import { connectSandbox, createMember, Harness } from "../../support/harness.ts";
import { openAccount, openStage } from "../../support/stage.ts";

const URN = "urn:li:organization:1";
const ALONE = /@\[Name\]\(urn:…\), so the name stays as text/;

test("a mention by URN becomes the name in every text of a post on Bluesky, with a warning", async () => {
  const stage = await openStage("bluesky", { person: "ada" });
  const sent = {
    description: `By @[Foo [Bar] (Inc.)](${URN})`,
    thread: JSON.stringify([`Then @[B "q"](${URN})`, "@[A", `c](${URN})`]),
    first_comment: `Thanks @[C](${URN})`,
  };
  const { status, body } = await stage.send(sent);
  expect(status).toBe(200);
  expect(body.data.warnings).toEqual([expect.stringMatching(ALONE)]);
  await stage.end(body.data.uploadId);
  const texts = (await stage.feed()).map(({ text }) => text).reverse();
  expect(texts).toEqual(["By Foo [Bar] (Inc.)", 'Then B "q"', "@[A", `c](${URN})`, "Thanks C"]);
});

test.each(["x", "threads"])("on %s the text is measured as it is published", async (platform) => {
  const account = await openAccount(platform);
  const title = `${"a".repeat(200)} @[B](urn:li:organization:${"1".repeat(400)})`;
  expect(await account.send({ title, status: "draft" })).toMatchObject({ status: 200 });
});

test("an edit leaves the name alone, too", async () => {
  const account = await openAccount("bluesky");
  const id = await account.post({ status: "draft" });
  const { body } = await account.harness.call("PATCH", `/upload/${id}`, {
    token: account.member.token,
    json: { description: `Now by @[Acme](${URN})` },
  });
  expect(body.data.warnings).toEqual([expect.stringMatching(ALONE)]);
  expect(await account.read(id)).toMatchObject({ description: "Now by Acme" });
});

test("one batch keeps the mention for LinkedIn, and the name for the others", async () => {
  const harness = new Harness();
  const member = await createMember();
  const linkedin = await connectSandbox(harness, member, "Ada", "linkedin");
  const bluesky = await connectSandbox(harness, member, "Ada", "bluesky");
  const args = { accountIds: [linkedin, bluesky], text: `By @[Acme](${URN})`, status: "draft" };
  const { structuredContent } = await callTool(harness, member.token, "create_post", args);
  const [kept, alone] = structuredContent.posts;
  expect(kept).toMatchObject({ warnings: [] });
  expect(alone).toMatchObject({ warnings: [expect.stringMatching(ALONE)] });
  const textOf = async ({ postId }: { postId: number }) =>
    (await callTool(harness, member.token, "get_post_status", { postId })).structuredContent.text;
  expect(await textOf(kept)).toBe(`By @[Acme](${URN})`);
  expect(await textOf(alone)).toBe("By Acme");
});

test("a Page id stays as it is on Facebook, with a warning", async () => {
  const account = await openAccount("facebook");
  const { body } = await account.send({ description: "With @[19292868552] today" });
  expect(body.data.warnings).toEqual([expect.stringMatching(/Page Mentioning/)]);
  expect(await account.read(body.data.uploadId)).toMatchObject({
    description: "With @[19292868552] today",
  });
});

describe("the rules of content see what LinkedIn shows", () => {
  const open = () => openAccount("linkedin");

  test("a name on the blocklist is refused", async () => {
    const account = await open();
    await env.DB.prepare("UPDATE teams SET blocklist = ? WHERE id = ?")
      .bind(JSON.stringify(["acme x"]), account.member.teamId)
      .run();
    const { status, body } = await account.send({ description: `By @[Acme X](${URN})` });
    expect(status).toBe(400);
    expect(body.violations).toMatchObject([{ type: "unsafe_content" }]);
  });

  test("the same words with and without a mention are duplicates", async () => {
    const account = await open();
    await account.post({ description: `By @[Acme](${URN})` });
    const { body } = await account.send({ description: "By Acme" });
    expect(body.violations).toMatchObject([{ type: "duplicate_content" }]);
  });

  test("a page is mentioned in four posts a day at most", async () => {
    const account = await open();
    const numbers = ["one", "two apples", "three wild horses", "four green hills"];
    for (const words of numbers) await account.post({ description: `${words} @[Acme](${URN})` });
    const { body } = await account.send({ description: `and then five @[Acme](${URN})` });
    expect(body.violations).toMatchObject([{ type: "mention_spam" }]);
  });
});
