import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Config } from "../../../src/config.ts";
import type { Platform } from "../../../src/core/platforms.ts";
import { send } from "../../support/agent.ts";
import { connectSandbox, createMember, form, Harness, type Member } from "../../support/harness.ts";
import { mp4 } from "../../support/stage.ts";

const PRIVATE_ONLY = expect.stringMatching(/account has to be private.*five accounts a day/);
const NOT_PUBLIC = expect.stringMatching(/PUBLIC_TO_EVERYONE.*SELF_ONLY.*AUDITED_PLATFORMS/);

let harness: Harness;
let owner: Member;
let accountId: string;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
  accountId = await connectSandbox(harness, owner, "Ada", "tiktok");
});

function audited(auditedPlatforms: readonly Platform[]) {
  const config: Config = { ...harness.deps.config, auditedPlatforms };
  Object.assign(harness.deps, { config });
}

const call = (method: string, path: string, options: { json?: unknown; body?: FormData }) =>
  harness.call(method, path, { token: owner.token, ...options });

const fields = (more: Record<string, string> = {}) => ({
  title: "Look",
  video: mp4(),
  status: "draft",
  ...more,
});

const batch = (more: Record<string, string> = {}) =>
  form({ ...fields(more), accounts: JSON.stringify([accountId]) });

async function validated(more: Record<string, string> = {}) {
  const { body } = await call("POST", "/upload/validate", { body: batch(more) });
  return body.targets[0].warnings;
}

describe("a post on TikTok before the audit", () => {
  test("is warned of in create, bulk, validate and edits", async () => {
    const expected = [PRIVATE_ONLY, NOT_PUBLIC];
    expect(await validated()).toEqual(expected);
    const created = await call("POST", "/upload", { body: form({ ...fields(), accountId }) });
    expect(created.body.data.warnings).toEqual(expected);
    const bulk = await call("POST", "/upload/bulk", { body: batch() });
    expect(bulk.body.results[0].warnings).toEqual(expected);
    const path = `/upload/${created.body.data.uploadId}`;
    const edited = await call("PATCH", path, { json: { title: "Look again" } });
    expect(edited.body.data.warnings).toEqual(expected);
  });

  test("is warned of in tools, in their terms", async () => {
    const args = {
      accountIds: [accountId],
      text: "Look",
      mediaUrls: ["https://files.example/a.mp4"],
      settings: { tiktok: { privacyLevel: "PUBLIC_TO_EVERYONE" } },
    };
    for (const name of ["validate_post", "create_post"]) {
      const { body } = await send(harness, "tools/call", { name, arguments: args }, owner);
      const { targets, posts } = body.result.structuredContent;
      const [{ warnings }] = targets ?? posts;
      expect(warnings).toEqual([
        expect.stringContaining("settings.tiktok.postMode DRAFT"),
        expect.stringContaining("settings.tiktok.privacyLevel PUBLIC_TO_EVERYONE"),
      ]);
    }
  });

  test("says what becomes of the requested level", async () => {
    expect(await validated({ privacy_level: "SELF_ONLY" })).toEqual([PRIVATE_ONLY]);
    expect(await validated({ brand_content_toggle: "true" })).toEqual([
      PRIVATE_ONLY,
      expect.stringMatching(/refuses the post/),
    ]);
  });

  test("is not warned of when it is a draft for the creator's inbox", async () => {
    const warnings = await validated({ post_mode: "DRAFT" });
    expect(warnings).toEqual([expect.stringMatching(/^TikTok: Caption/)]);
  });

  test("is warned of for a live account too", async () => {
    await env.DB.prepare("UPDATE accounts SET mode = 'live' WHERE id = ?").bind(accountId).run();
    expect(await validated({ privacy_level: "SELF_ONLY" })).toEqual([PRIVATE_ONLY]);
  });
});

test("after the audit there is nothing to warn of", async () => {
  audited(["tiktok"]);
  expect(await validated()).toBeUndefined();
  const created = await call("POST", "/upload", { body: form({ ...fields(), accountId }) });
  expect(created.body.data.warnings).toBeUndefined();
});

test("a pin before Standard access is warned of, until AUDITED_PLATFORMS names Pinterest", async () => {
  const pinterest = await connectSandbox(harness, owner, "Ada", "pinterest");
  const warningsOfPin = async () => {
    const body = form({
      ...fields({ pinterest_board_id: "274457265652944252" }),
      accountId: pinterest,
    });
    return (await call("POST", "/upload", { body })).body.data.warnings;
  };
  expect(await warningsOfPin()).toEqual([expect.stringContaining("Trial access (error 29)")]);
  audited(["pinterest"]);
  expect(await warningsOfPin()).toBeUndefined();
});

test("a post on a platform that limits only who can connect has no warning", async () => {
  const facebook = await connectSandbox(harness, owner, "Ada", "facebook");
  const body = form({ description: "Look", status: "draft", accountId: facebook });
  const { body: answer } = await call("POST", "/upload", { body });
  expect(answer.data).toMatchObject({ status: "draft" });
  expect(answer.data.warnings).toBeUndefined();
});

test("another platform's audit changes nothing", async () => {
  audited(["youtube"]);
  expect(await validated({ privacy_level: "SELF_ONLY" })).toEqual([PRIVATE_ONLY]);
});

test("an unknown platform in AUDITED_PLATFORMS is a clear error", async () => {
  audited(["tictoc" as Platform]);
  const answer = await call("GET", "/accounts", {});
  expect(answer.status).toBe(503);
  expect(JSON.stringify(answer.body)).toContain("AUDITED_PLATFORMS names tictoc");
});
