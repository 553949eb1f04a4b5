import { beforeEach, describe, expect, test } from "vitest";
import { PLATFORMS, type Platform } from "../../../src/core/platforms.ts";
import { connectMeasured, measuredPost } from "../../platforms/measured.ts";
import { send } from "../../support/agent.ts";
import { createMember, form, Harness, type Member } from "../../support/harness.ts";

const TEXTS = { title: "Alpha heading", description: "Beta wording" };

/** The warnings of a post with both texts. */
const WARNINGS: Record<Platform, string[]> = {
  tiktok: [],
  instagram: ["Instagram: The description, which is for the team alone, is not published."],
  youtube: [],
  facebook: ["Facebook: The title, which is for the team alone, is not published."],
  linkedin: ["LinkedIn: The title, which is for the team alone, is not published."],
  pinterest: [],
  bluesky: ["Bluesky: The title, which is for the team alone, is not published."],
  threads: ["Threads: The description, which is for the team alone, is not published."],
  x: ["X: The description, which is for the team alone, is not published."],
  mastodon: ["Mastodon: The title, which is for the team alone, is not published."],
  telegram: ["Telegram: The title, which is for the team alone, is not published."],
  discord: [
    "Discord: The title names the post's thread in a forum, and is not published elsewhere.",
  ],
  google_business: ["Google Business: The title, which is for the team alone, is not published."],
};

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  const { deps } = harness;
  Object.assign(deps, { config: { ...deps.config, auditedPlatforms: ["tiktok", "pinterest"] } });
  owner = await createMember();
});

const call = (method: string, path: string, options: { json?: unknown; body?: FormData }) =>
  harness.call(method, path, { token: owner.token, ...options });

async function callTool(name: string, args: object) {
  const { token } = owner;
  const { body } = await send(harness, "tools/call", { name, arguments: args }, { token });
  return body.result.structuredContent;
}

/** Returns everything that the simulated platform has received, as one text. */
async function receivedBy(accountId: string): Promise<string> {
  const answer = await harness.request(`/sandbox/api/posts?accountId=${accountId}`);
  const { posts } = await answer.json<{ posts: object[] }>();
  expect(posts).toHaveLength(1);
  return JSON.stringify(posts);
}

describe.each(PLATFORMS)("a post with both texts on %s", (platform) => {
  const warnings = () => WARNINGS[platform] ?? [];
  const expected = () => (warnings().length > 0 ? warnings() : undefined);

  test("names the text that the platform was not sent, and no other", async () => {
    const accountId = await connectMeasured(harness, owner, platform);
    const fields = { ...(await measuredPost(owner, platform, "")), ...TEXTS };
    const created = await call("POST", "/upload", { body: form({ ...fields, accountId }) });
    expect(created.status).toBe(200);
    expect(created.body.data.warnings).toEqual(expected());
    await harness.drain(100);
    const received = await receivedBy(accountId);
    const dropped = Object.entries(TEXTS).filter(([, text]) => !received.includes(text));
    expect(dropped.map(([field]) => field)).toEqual(
      warnings().map((warning) => (/title/.test(warning) ? "title" : "description")),
    );
  });

  test("says the same in bulk, validate, PATCH and tools", async () => {
    const accountId = await connectMeasured(harness, owner, platform);
    const fields = { ...(await measuredPost(owner, platform, "")), ...TEXTS };
    const batch = () => form({ ...fields, status: "draft", accounts: JSON.stringify([accountId]) });
    const validated = await call("POST", "/upload/validate", { body: batch() });
    expect(validated.body.targets[0]?.warnings).toEqual(expected());
    const bulk = await call("POST", "/upload/bulk", { body: batch() });
    expect(bulk.body.results[0].warnings).toEqual(expected());
    const path = `/upload/${bulk.body.results[0].uploadId}`;
    const without = await call("PATCH", path, {
      json: { title: "One text", description: "One text" },
    });
    expect(without.body.data.warnings).toBeUndefined();
    const edited = await call("PATCH", path, { json: TEXTS });
    expect(edited.body.data.warnings).toEqual(expected());
  });
});

test("tools name a title in whose place a platform with one text gets the text", async () => {
  const accounts = await Promise.all(
    (["x", "threads", "bluesky"] as const).map((platform) =>
      connectMeasured(harness, owner, platform),
    ),
  );
  const { title, description: text } = TEXTS;
  const args = { accountIds: accounts, title, text };
  const all = [
    ["X: The title is not published."],
    ["Threads: The title is not published."],
    ["Bluesky: The title, which is for the team alone, is not published."],
  ];
  const { targets } = await callTool("validate_post", args);
  expect(targets.map(({ warnings }: { warnings: string[] }) => warnings)).toEqual(all);
  const { posts } = await callTool("create_post", { ...args, status: "draft" });
  expect(posts.map(({ warnings }: { warnings: string[] }) => warnings)).toEqual(all);
});

test("of a file whose kind is not known yet, only what holds for every kind is named", async () => {
  const facebook = await connectMeasured(harness, owner, "facebook");
  const instagram = await connectMeasured(harness, owner, "instagram");
  const urls = ["https://files.example/unknown", "https://files.example/a.jpg"];
  const answers = await Promise.all(
    urls.map((photo) =>
      call("POST", "/upload/validate", {
        body: form({ ...TEXTS, photo, accounts: JSON.stringify([facebook, instagram]) }),
      }),
    ),
  );
  const found = answers.map(({ body }) =>
    body.targets.map(({ warnings }: { warnings?: string[] }) => warnings),
  );
  expect(found).toEqual([
    [undefined, WARNINGS.instagram],
    [WARNINGS.facebook, WARNINGS.instagram],
  ]);
});
