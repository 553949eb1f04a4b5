import { expect, test } from "vitest";
import { callTool, MODERN, OLDER, send } from "../support/agent.ts";
import { connectSandbox, createMember, Harness } from "../support/harness.ts";
import { testJpeg } from "../support/videos.ts";

const PHOTO = "https://pictures.example/harbour.jpg";
const clientInfo = { name: "an-agent", version: "1" };

test.each([MODERN, ...OLDER])("an agent's session, in revision %s", async (revision) => {
  const harness = new Harness();
  harness.network = async () => new Response(testJpeg);
  const member = await createMember();
  const { token } = member;
  for (const platform of ["bluesky", "tiktok", "pinterest"]) {
    await connectSandbox(harness, member, "Harbour", platform);
  }
  const options = { token, revision };
  // It asks what there is.
  const begun =
    revision === MODERN
      ? await send(harness, "server/discover", {}, options)
      : await send(
          harness,
          "initialize",
          { protocolVersion: revision, capabilities: {}, clientInfo },
          options,
        );
  expect(begun.body.result.instructions).toMatch(/Call list_accounts first/);
  const { tools } = (await send(harness, "tools/list", {}, options)).body.result;
  expect(tools).toHaveLength(11);
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    (await callTool(harness, token, name, args, { revision })).structuredContent;

  const { accounts } = await call("list_accounts", { status: "active" });
  expect(accounts).toHaveLength(3);
  const accountIds = accounts.map(({ id }: { id: string }) => id);
  const { settingsSchema } = await call("get_platform_capabilities", { platform: "tiktok" });
  const [privacyLevel] = settingsSchema.privacyLevel.values;

  // It is told what is missing, adds it, and posts.
  const text = "The harbour at dawn";
  const draft = { accountIds, text, mediaUrls: [PHOTO], idempotencyKey: `harbour ${revision}` };
  const refused = await call("validate_post", draft);
  expect(refused.valid).toBe(false);
  expect(refused.errors.map(({ error }: { error: string }) => error).sort()).toEqual([
    expect.stringMatching(/settings\.pinterest\.boardId/),
    expect.stringMatching(/settings\.tiktok\.privacyLevel/),
  ]);
  const pinboard = accounts.find(({ platform }: { platform: string }) => platform === "pinterest");
  const path = `/pinterest/boards?accountId=${pinboard.id}`;
  const [board] = (await harness.call("GET", path, { token })).body.data;
  const { hashtags } = await call("suggest_hashtags", { text, platform: "bluesky" });
  const post = {
    ...draft,
    text: `${text} ${hashtags[0].hashtag}`,
    settings: { tiktok: { privacyLevel }, pinterest: { boardId: board.id } },
  };
  expect(await call("validate_post", post)).toMatchObject({ valid: true, errors: [] });
  const made = await call("create_post", post);
  expect(made.message).toBe("3 of 3 accounts have the post.");
  expect(await call("create_post", post)).toEqual(made);

  // It waits until each is out.
  await harness.drain();
  for (const { postId } of made.posts) {
    const state = await call("get_post_status", { postId });
    expect(state).toMatchObject({ state: "published", error: null });
  }
  const recent = await call("list_recent_posts", { status: "completed", limit: 2 });
  expect(recent).toMatchObject({ total: 3 });
  expect(recent.posts).toHaveLength(2);

  // The next one its user's client has to see first.
  const held = {
    accountIds: accountIds.slice(0, 1),
    text: "The harbour at night",
    status: "draft",
  };
  const [{ postId }] = (await call("create_post", held)).posts;
  const link = await call("create_review_link", { postIds: [postId] });
  expect(link).toMatchObject({ postIds: [postId], url: expect.stringMatching(/\/review\//) });
  expect((await call("get_post_status", { postId })).state).toBe("awaiting_approval");
});
