import { expect, test } from "vitest";
import { callTool } from "../support/agent.ts";
import { connectSandbox, createMember, Harness } from "../support/harness.ts";

const OF_REST = /\b(GET|POST|PUT|PATCH|DELETE) \/|uploadId|schedule_date/;

test("answers of the tools name tools and arguments, and no calls of the REST API", async () => {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const account = await connectSandbox(harness, member);
  const unknown = `acc_${"0".repeat(24)}`;
  const post = { accountIds: [account], text: "Words" };
  const calls: [string, Record<string, unknown>][] = [
    ["create_post", { ...post, accountIds: [unknown] }],
    ["validate_post", { ...post, accountIds: [unknown] }],
    ["create_post", { ...post, status: "pending_approval" }],
    ["create_post", { ...post, scheduleDate: "2020-01-01T00:00:00Z" }],
    ["create_post", { ...post, mediaUrls: ["https://akimbo.test/files/nothing.png"] }],
    ["create_post", { ...post, mediaUrls: ["https://akimbo.test/storage/presigned/1/0"] }],
    ["get_post_status", { postId: 999_999 }],
    ["find_mentions", { accountId: unknown, query: "ada" }],
    ["update_post", { postId: 999_999, description: "Words" }],
    ["unpublish_post", { postId: 999_999 }],
    ["create_review_link", { postIds: [999_999] }],
    ["list_recent_posts", { accountId: unknown }],
  ];
  for (const [name, args] of calls) {
    const { content } = await callTool(harness, token, name, args);
    expect(
      content[0].text.replace(/"uploadId":/g, ""),
      `${name} ${JSON.stringify(args)}`,
    ).not.toMatch(OF_REST);
  }
});

test("the text of a post on a platform whose title is the text comes back as text", async () => {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const account = await connectSandbox(harness, member, "Ada", "x");
  const args = { accountIds: [account], text: "Words for X", status: "draft" };
  const made = await callTool(harness, token, "create_post", args);
  const { postId } = made.structuredContent.posts[0];
  const { structuredContent } = await callTool(harness, token, "get_post_status", { postId });
  expect(structuredContent).toMatchObject({ text: "Words for X", title: null });
});

test("a postId written as digits is taken, in each tool", async () => {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const account = await connectSandbox(harness, member);
  const args = { accountIds: [account], text: "By its digits", status: "draft" };
  const made = await callTool(harness, token, "create_post", args);
  const { postId } = made.structuredContent.posts[0];
  const state = await callTool(harness, token, "get_post_status", { postId: String(postId) });
  expect(state.structuredContent).toMatchObject({ postId, state: "draft" });
  const link = await callTool(harness, token, "create_review_link", { postIds: [String(postId)] });
  expect(link.structuredContent.postIds).toEqual([postId]);
  const wrong = await callTool(harness, token, "get_post_status", { postId: `${postId}x` });
  expect(wrong.isError).toBe(true);
});
