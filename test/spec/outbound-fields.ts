import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { callTool } from "../support/agent.ts";
import {
  type Answer,
  connectSandbox,
  createMember,
  form,
  harnessWith,
} from "../support/harness.ts";

const harness = harnessWith({
  isDevelopment: false,
  environment: "production",
  sandboxEnabled: true,
});
let hits: string[] = [];
harness.network = async (input) => {
  hits.push(new Request(input).url);
  return new Response("a canary");
};
const VIDEO = "https://cdn.example.com/a.mp4";

interface Team {
  token: string;
  accountOf(platform: string): Promise<string>;
}

async function createTeam(): Promise<Team> {
  const member = await createMember();
  const accounts = new Map<string, Promise<string>>();
  const accountOf = (platform: string) => {
    const known = accounts.get(platform) ?? connectSandbox(harness, member, "Ada", platform);
    accounts.set(platform, known);
    return known;
  };
  return { token: member.token, accountOf };
}

const post = (platform: string, field: string) => async (team: Team, url: string) =>
  harness.call("POST", "/upload", {
    token: team.token,
    body: form({
      ...{ accountId: await team.accountOf(platform), title: "A title", description: "Words" },
      ...{ video: VIDEO, [field]: url },
    }),
  });

const json = (path: string, body: (url: string) => object) => (team: Team, url: string) =>
  harness.call("POST", path, { token: team.token, json: body(url) });

/** Fields with an address that this service asks, or has a platform ask, by what they belong to. */
const FIELDS: Record<string, (team: Team, url: string) => Promise<Answer>> = {
  "cover_url of a post": post("instagram", "cover_url"),
  "thumbnail_url of a post": post("youtube", "thumbnail_url"),
  "x_subtitles_url of a post": post("x", "x_subtitles_url"),
  "url of a webhook": json("/webhooks", (url) => ({ url, events: ["upload.failed"] })),
  "endpoint of a browser": json("/settings/push", (endpoint) => ({
    endpoint,
    keys: { p256dh: "a", auth: "a" },
  })),
  "logoUrl of a connection link": json("/whitelabel/links", (logoUrl) => ({
    ...{ platform: "x", mode: "sandbox", logoUrl },
  })),
  "redirectUrl of a connection link": json("/whitelabel/links", (redirectUrl) => ({
    ...{ platform: "x", mode: "sandbox", redirectUrl },
  })),
};

export function testFields(urls: readonly string[]): void {
  beforeEach(() => {
    hits = [];
  });

  test.each(Object.entries(FIELDS))(
    "no forbidden address is taken as %s, nor asked",
    { timeout: 120_000 },
    async (_, send) => {
      const team = await createTeam();
      const taken: string[] = [];
      for (const url of urls) {
        const { status } = await send(team, url);
        if (status !== 400) taken.push(`${status} ${url}`);
      }
      await harness.settle();
      await harness.drain();
      await harness.drainEvents();
      expect(taken).toEqual([]);
      expect(hits).toEqual([]);
    },
  );

  test("no forbidden address is taken by create_post, nor asked", {
    timeout: 120_000,
  }, async () => {
    const team = await createTeam();
    const accountIds = [await team.accountOf("bluesky")];
    const taken: string[] = [];
    for (const url of urls) {
      const args = { accountIds, text: "Words", mediaUrls: [url] };
      const { isError } = await callTool(harness, team.token, "create_post", args);
      if (isError !== true) taken.push(url);
    }
    await harness.drain();
    expect(taken).toEqual([]);
    expect(hits).toEqual([]);
  });

  test("safeUrl and destinations of short links are not asked by this service", async () => {
    const { token } = await createTeam();
    for (const url of urls) {
      const link = {
        url: "https://example.com/",
        safeUrl: url,
        imageUrl: url,
        botProtection: true,
      };
      await harness.call("POST", "/short-links", { token, json: link });
      await harness.call("POST", "/short-links", { token, json: { url } });
    }
    await harness.settle();
    expect(hits).toEqual([]);
  });

  test("an address that is forbidden by now is not asked, wherever it is stored", async () => {
    const team = await createTeam();
    const hook = { url: "https://receiver.example/hook", events: ["upload.completed"] };
    const made = await harness.call("POST", "/webhooks", { token: team.token, json: hook });
    const { id } = made.body.data;
    await env.DB.prepare("UPDATE webhooks SET url = 'https://127.0.0.1/' WHERE id = ?")
      .bind(id)
      .run();
    await harness.call("POST", `/webhooks/${id}/test`, { token: team.token });
    await harness.drainEvents();
    expect(hits).toEqual([]);
    const { body } = await harness.call("GET", `/webhooks/${id}/deliveries`, { token: team.token });
    expect(body.data[0]).toMatchObject({ success: false, statusCode: null });
  });
}
