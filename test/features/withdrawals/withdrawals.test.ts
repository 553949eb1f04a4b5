import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { sign } from "../../../src/core/signature.ts";
import {
  createMember,
  form,
  type Harness,
  harnessWith,
  type Member,
  START,
} from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { signedRequest } from "../../support/signed-request.ts";

const keysOf = (clientSecret: string) => ({ clientId: "id", clientSecret });
const APPS = {
  tiktok: keysOf("tiktok secret"),
  facebook: keysOf("facebook secret"),
  instagram: keysOf("instagram secret"),
  threads: keysOf("threads secret"),
};

let harness: Harness;
let owner: Member;
/** Each test has another person. */
let person: string;
let serial = 0;

beforeEach(async () => {
  harness = harnessWith({ appKeys: APPS, publicUrl: "https://akimbo.test" });
  owner = await createMember();
  person = `9007199254${String(740_993 + ++serial)}`;
});

interface Planted {
  platform?: string;
  mode?: string;
  accountId?: string;
  personId?: string | null;
  teamId?: number;
  connectedAt?: Date;
  status?: string;
}

async function plant({
  platform = "facebook",
  mode = "live",
  accountId = `page ${++serial}`,
  personId = person,
  teamId = owner.teamId,
  connectedAt = START,
  status = "active",
}: Planted = {}): Promise<string> {
  const id = `acc_${teamId}_${++serial}`;
  await env.DB.prepare(
    `INSERT INTO accounts (id, team_id, platform, platform_account_id, platform_user_id, account_name,
       handle, profile_image_url, mode, status, credentials, renew_at, connected_at)
     VALUES (?, ?, ?, ?, ?, 'Ada', 'ada', 'https://cdn.example.com/a.jpg', ?, ?, 'v1.sealed', 1, ?)`,
  )
    .bind(id, teamId, platform, accountId, personId, mode, status, connectedAt.getTime())
    .run();
  return id;
}

const rowOf = (id: string) =>
  env.DB.prepare("SELECT * FROM accounts WHERE id = ?").bind(id).first<Record<string, unknown>>();

const eventsOf = async ({ teamId }: Member) =>
  (
    await env.DB.prepare("SELECT name, data FROM events WHERE team_id = ? ORDER BY id")
      .bind(teamId)
      .all<{ name: string; data: string }>()
  ).results.map(({ name, data }) => ({ name, ...JSON.parse(data) }));

interface Sent {
  platform?: string;
  secret?: string;
  payload?: object;
}

async function send(
  what: "withdrawn" | "data-deletion",
  { platform = "facebook", secret = `${platform} secret`, payload = {} }: Sent = {},
) {
  const issued_at = Math.floor(harness.deps.now().getTime() / 1_000);
  const message = { algorithm: "HMAC-SHA256", issued_at, user_id: person, ...payload };
  const body = new URLSearchParams({ signed_request: await signedRequest(secret, message) });
  const answer = await harness.request(`/oauth/${what}/${platform}`, { method: "POST", body });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  return { status: answer.status, body: await answer.json<any>() };
}

describe("a withdrawn consent", () => {
  test("makes every account of the person revoked, in every team, and each team is told", async () => {
    const other = await createMember();
    const ids = [await plant(), await plant(), await plant({ teamId: other.teamId })];
    expect(await send("withdrawn")).toEqual({ status: 200, body: { success: true } });
    for (const id of ids) {
      expect(await rowOf(id)).toMatchObject({
        status: "revoked",
        credentials: null,
        renew_at: null,
        deleted_at: null,
        account_name: "Ada",
      });
    }
    const event = { name: "connected_account.disconnected", platform: "facebook" };
    expect(await eventsOf(owner)).toEqual([
      { ...event, accountId: ids[0], accountName: "Ada" },
      { ...event, accountId: ids[1], accountName: "Ada" },
    ]);
    expect(await eventsOf(other)).toHaveLength(1);
    const { body } = await harness.call("GET", "/accounts?status=revoked", { token: owner.token });
    expect(body.count).toBe(2);
  });

  test.each([
    ["the person's own id", "threads", { personId: null }],
    ["the id of the person", "instagram", { accountId: "17841400000000001" }],
    ["the id of the account", "instagram", { personId: "27841400000000001" }],
  ])("may name %s", async (_, platform, more: Planted) => {
    const id = await plant({
      platform,
      ...("accountId" in more ? {} : { accountId: person }),
      ...more,
    });
    await send("withdrawn", { platform });
    expect(await rowOf(id)).toMatchObject({ status: "revoked" });
  });

  test("is told once, however often it comes", async () => {
    await plant();
    const answers = await Promise.all([send("withdrawn"), send("withdrawn"), send("withdrawn")]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await eventsOf(owner)).toHaveLength(1);
  });

  test("leaves others alone: people, platforms, simulated accounts and what was connected since", async () => {
    const later = new Date(START.getTime() + 3_600_000);
    const ids = [
      await plant({ personId: "1" }),
      await plant({ platform: "threads" }),
      await plant({ mode: "sandbox" }),
      await plant({ connectedAt: later }),
    ];
    await send("withdrawn");
    for (const id of ids) expect(await rowOf(id)).toMatchObject({ status: "active" });
    expect(await eventsOf(owner)).toEqual([]);
  });

  test("of somebody unknown is taken in", async () => {
    expect((await send("withdrawn")).status).toBe(200);
    expect((await send("withdrawn", { payload: { user_id: undefined } })).status).toBe(200);
  });

  test("may be signed by Meta's app for Instagram, and by no other", async () => {
    const signedBy = (platform: string, secret: string) => send("withdrawn", { platform, secret });
    expect((await signedBy("instagram", "facebook secret")).status).toBe(200);
    expect((await signedBy("instagram", "threads secret")).status).toBe(403);
    expect((await signedBy("threads", "facebook secret")).status).toBe(403);
    expect((await signedBy("facebook", "instagram secret")).status).toBe(403);
  });
});

describe("a message that is not a platform's", () => {
  test.each(["withdrawn", "data-deletion"] as const)("changes nothing: %s", async (what) => {
    const id = await plant();
    const refused = await send(what, { secret: "guessed" });
    expect(refused).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    expect(await rowOf(id)).toMatchObject({ status: "active", credentials: "v1.sealed" });
  });

  test("is refused where the platform is not set up, and counted against its sender", async () => {
    harness = harnessWith({ appKeys: {}, rateLimits: {} });
    expect((await send("withdrawn")).status).toBe(403);
    const path = "/oauth/withdrawn/facebook";
    const tries = await Promise.all(
      Array.from({ length: 25 }, () =>
        harness.request(path, {
          method: "POST",
          body: "signed_request=a.b",
          headers: { "cf-connecting-ip": "203.0.113.77" },
        }),
      ),
    );
    expect(tries.map(({ status }) => status)).toContain(429);
  });

  test.each(["myspace", "x", "linkedin"])("is not found for %s", async (platform) => {
    expect((await send("withdrawn", { platform })).status).toBe(404);
  });

  test("of a megabyte is refused", async () => {
    const body = `signed_request=${"a".repeat(1_000_000)}`;
    const answer = await harness.request("/oauth/withdrawn/facebook", { method: "POST", body });
    expect(answer.status).toBe(413);
  });
});

describe("a wish to have one's data deleted", () => {
  test("deletes what the platform told, of accounts that were disconnected as well", async () => {
    const id = await plant();
    const gone = await plant({ status: "revoked" });
    await env.DB.prepare("UPDATE accounts SET deleted_at = 5 WHERE id = ?").bind(gone).run();
    const rehearsed = await plant({ personId: "somebody else" });
    for (const one of [id, gone, rehearsed]) {
      await env.DB.prepare(
        `INSERT INTO rehearsals (team_id, account_id, platform, text, stage, created_at, updated_at)
          VALUES (?, ?, 'facebook', 'Rehearsal', 'over', 0, 0)`,
      )
        .bind(owner.teamId, one)
        .run();
    }
    const { status, body } = await send("data-deletion");
    expect(status).toBe(200);
    const { results } = await env.DB.prepare("SELECT account_id FROM rehearsals WHERE team_id = ?")
      .bind(owner.teamId)
      .all();
    expect(results).toEqual([{ account_id: rehearsed }]);
    expect(body.url).toBe(`https://akimbo.test/oauth/deleted/${body.confirmation_code}`);
    for (const [one, deletedAt] of [
      [id, START.getTime()],
      [gone, 5],
    ] as const) {
      expect(await rowOf(one)).toMatchObject({
        status: "revoked",
        credentials: null,
        platform_account_id: `deleted ${one}`,
        platform_user_id: null,
        account_name: "Deleted account",
        handle: null,
        profile_image_url: null,
        deleted_at: deletedAt,
      });
    }
    expect(await eventsOf(owner)).toHaveLength(1);
  });

  test("ends the posts that were waiting for the account", async () => {
    const id = await plant();
    const body = form({
      accountId: id,
      description: "Later",
      schedule_date: "2026-12-02T09:00:00Z",
    });
    const scheduled = await harness.call("POST", "/upload", { token: owner.token, body });
    expect(scheduled.status, JSON.stringify(scheduled.body)).toBe(200);
    await send("data-deletion");
    expect(await eventsOf(owner)).toContainEqual(
      expect.objectContaining({ name: "upload.failed", accountId: id }),
    );
  });

  test("leads to a page that shows what was done", async () => {
    await plant();
    await plant();
    const { body } = await send("data-deletion");
    const page = await new Browser(harness).get(new URL(body.url).pathname);
    expect(page.status).toBe(200);
    expect(page.html).toContain("2 accounts of Facebook");
    expect(page.html).toContain("2026-12-01");
    const again = await send("data-deletion");
    const second = await new Browser(harness).get(new URL(again.body.url).pathname);
    expect(second.html).toContain("nothing was left to delete");
  });

  test("has no page for a forged code", async () => {
    const { body } = await send("data-deletion");
    const forged = body.confirmation_code.replace("-0-", "-7-");
    expect((await new Browser(harness).get(`/oauth/deleted/${forged}`)).status).toBe(404);
    expect((await new Browser(harness).get("/oauth/deleted/x")).status).toBe(404);
  });
});

describe("TikTok's webhook", () => {
  const tell = async (event: string, reason = 1) => {
    const seconds = Math.floor(START.getTime() / 1_000);
    const content = JSON.stringify({ reason });
    const message = { client_key: "id", event, create_time: seconds, user_openid: person, content };
    const body = JSON.stringify(message);
    const t = Math.floor(Date.now() / 1_000);
    const s = await sign("tiktok secret", `${t}.${body}`);
    const headers = { "content-type": "application/json", "tiktok-signature": `t=${t},s=${s}` };
    return harness.request("/oauth/withdrawn/tiktok", { method: "POST", headers, body });
  };
  const plantOne = () => plant({ platform: "tiktok", accountId: person, personId: null });

  test("makes the account of the open id revoked", async () => {
    const id = await plantOne();
    expect((await tell("authorization.removed")).status).toBe(200);
    expect(await rowOf(id)).toMatchObject({ status: "revoked", credentials: null });
    expect(await eventsOf(owner)).toMatchObject([{ platform: "tiktok", accountId: id }]);
  });

  test.each([
    ["another event", "post.publish.complete", 1],
    ["our own revocation", "authorization.removed", 5],
  ])("is taken in and changes nothing for %s", async (_, event, reason) => {
    const id = await plantOne();
    expect((await tell(event, reason)).status).toBe(200);
    expect(await rowOf(id)).toMatchObject({ status: "active" });
  });
});
