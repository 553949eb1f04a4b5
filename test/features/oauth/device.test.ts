import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { forgetEndedPrograms } from "../../../src/features/oauth/expiry.ts";
import { send } from "../../support/agent.ts";
import {
  createMember,
  type Harness,
  harnessWith,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { Browser, formsOf, type Page } from "../../support/person.ts";
import { API, allow, MCP, Program } from "../../support/program.ts";

const ORIGIN = "https://akimbo.test";

let harness: Harness;
let member: Member;
let browser: Browser;
let program: Program;

beforeEach(async () => {
  harness = harnessWith({ publicUrl: ORIGIN });
  member = await createMember();
  browser = await new Browser(harness).signIn(member);
  program = new Program(harness);
});

async function begin(more: Record<string, string> = {}) {
  const { status, body } = await program.beginDevice(more);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { device_code: string; user_code: string; verification_uri_complete: string };
}

/** Sends the form on which the code stands, as the person changes it. */
async function enter(user_code: string, from = browser): Promise<Page> {
  const page = await from.get("/device");
  const [action = ""] = formsOf(page.html);
  return from.sendForm(action, { user_code });
}

const errorOf = async (deviceCode: string, more = {}) =>
  (await program.poll(deviceCode, more)).body.error;

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe("a terminal", () => {
  test("shows a code, waits, and gets a token for the API and for agents", async () => {
    const { status, headers, body } = await program.beginDevice();
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body).toEqual({
      device_code: expect.stringMatching(/^kmd_[0-9a-f]{80}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${ORIGIN}/device`,
      verification_uri_complete: `${ORIGIN}/device?user_code=${body.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(await errorOf(body.device_code)).toBe("authorization_pending");

    const path = new URL(body.verification_uri_complete);
    const asked = await browser.get(path.pathname + path.search);
    expect(asked.html).toContain(`value="${body.user_code}"`);
    expect(asked.html).toContain("only if you started this yourself");
    expect(formsOf(asked.html)).toEqual([expect.stringMatching(/^\/device\?team=\d+$/)]);
    const consent = await enter(body.user_code);
    expect(consent.html).toContain("Akimbo command line</strong> wants to act for you");
    expect(consent.html).toContain(body.user_code);
    const end = await allow(browser, consent);
    expect([end.status, end.headers.get("refresh"), end.location]).toEqual([200, null, null]);
    expect(end.html).toContain("You can go back to the terminal");

    harness.advance(5);
    const { body: tokens } = await program.poll(body.device_code);
    expect(tokens).toMatchObject({
      token_type: "Bearer",
      expires_in: 3_600,
      scope: "accounts:read posts:publish",
    });
    const list = await harness.request("/api/v1/accounts", bearer(tokens.access_token));
    expect(list.status).toBe(200);
    const tools = await send(harness, "tools/list", {}, bearer(tokens.access_token));
    expect(tools.status).toBe(200);
    expect((await browser.get("/app/tokens")).html).toContain("On a computer");
    const renewed = await program.refresh(tokens.refresh_token, { client_id: "akimbo-cli" });
    expect(renewed.status).toBe(200);
    expect(JSON.stringify(harness.logs)).not.toMatch(/kmd_|kma_|kmr_|user_code"/);
    expect(JSON.stringify(harness.logs)).not.toContain(body.user_code.replace("-", ""));
  });

  test("finds where to ask in the server's document", async () => {
    const { body } = await program.get("/.well-known/oauth-authorization-server");
    expect(body.device_authorization_endpoint).toBe(`${ORIGIN}/device_authorization`);
    expect(body.grant_types_supported).toContain("urn:ietf:params:oauth:grant-type:device_code");
  });

  test("that asks too often waits longer, for good", async () => {
    const { device_code } = await begin();
    expect(await errorOf(device_code)).toBe("authorization_pending");
    harness.advance(4);
    expect(await errorOf(device_code)).toBe("slow_down");
    harness.advance(9);
    expect(await errorOf(device_code)).toBe("slow_down");
    harness.advance(14);
    expect(await errorOf(device_code)).toBe("slow_down");
    harness.advance(20);
    expect(await errorOf(device_code)).toBe("authorization_pending");
  });

  test("gets one grant, however often it asks at once", async () => {
    const { device_code, user_code } = await begin();
    await allow(browser, await enter(user_code));
    const answers = await Promise.all(Array.from({ length: 5 }, () => program.poll(device_code)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ body }) => body.error))).toEqual(new Set(["invalid_grant"]));
    const { access_token } = done[0]?.body ?? {};
    expect((await send(harness, "tools/list", {}, bearer(access_token))).status).toBe(200);
    harness.advance(20);
    expect(await errorOf(device_code)).toBe("invalid_grant");
    expect((await send(harness, "tools/list", {}, bearer(access_token))).status).toBe(401);
  });

  test("is refused once the person refuses, or lets the time pass", async () => {
    const denied = await begin();
    const end = await allow(browser, await enter(denied.user_code), { decision: "deny" });
    expect(end.html).toContain("Nothing was allowed");
    expect(await errorOf(denied.device_code)).toBe("access_denied");
    expect((await enter(denied.user_code)).status).toBe(400);

    const late = await begin();
    const consent = await enter(late.user_code);
    harness.advance(600);
    expect(await errorOf(late.device_code)).toBe("expired_token");
    expect((await allow(browser, consent)).status).toBe(409);
    expect((await enter(late.user_code)).status).toBe(400);
  });

  test("gets nothing when its person leaves before it asks", async () => {
    const guest = await createMember();
    await joinTeam(member.teamId, guest.userId, "MEMBER");
    const from = (await new Browser(harness).signIn(guest)).show(member.teamId);
    const { device_code, user_code } = await begin();
    expect((await allow(from, await enter(user_code, from))).status).toBe(200);
    await env.DB.prepare("DELETE FROM members WHERE team_id = ? AND user_id = ?")
      .bind(member.teamId, guest.userId)
      .run();
    expect(await errorOf(device_code)).toBe("invalid_grant");
  });

  test("may no more than its person", async () => {
    const guest = await createMember();
    await joinTeam(member.teamId, guest.userId, "MEMBER");
    const from = (await new Browser(harness).signIn(guest)).show(member.teamId);
    const { device_code, user_code } = await begin({ scope: "webhooks:write" });
    await allow(from, await enter(user_code, from));
    const { body } = await program.poll(device_code);
    expect(body.scope).toBe("webhooks:write");
    const { status, body: refusal } = await harness.call("POST", "/webhooks", {
      token: body.access_token,
      json: {
        url: "https://hooks.example/1",
        events: ["upload.completed"],
        secret: "s".repeat(32),
      },
    });
    expect([status, refusal.error]).toEqual([
      403,
      "Only the owner and admins of a team create webhooks.",
    ]);
  });

  test.each([
    ["another program", { client_id: "other" }, "invalid_client"],
    ["for another server", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["for unknown scopes alone", { scope: "*" }, "invalid_scope"],
  ])("of %s is refused", async (_, more, error) => {
    expect((await program.beginDevice(more)).body.error).toBe(error);
  });

  test.each([
    ["for another resource", { resource: MCP }, "invalid_target"],
    ["of another client", { client_id: "other" }, "invalid_client"],
    ["without a code", { device_code: "" }, "invalid_request"],
    ["with a code that was never made", { device_code: "kmd_00" }, "invalid_grant"],
  ])("that asks %s gets nothing, and spoils nothing", async (_, more, error) => {
    const { device_code, user_code } = await begin();
    await allow(browser, await enter(user_code));
    expect(await errorOf(device_code, more)).toBe(error);
    expect((await program.poll(device_code, { resource: API })).status).toBe(200);
  });

  test("has no code that is worth something elsewhere", async () => {
    const { device_code, user_code } = await begin();
    await allow(browser, await enter(user_code));
    const asCode = await program.exchange(device_code, {
      client_id: "akimbo-cli",
      redirect_uri: "",
      resource: API,
    });
    expect(asCode.body.error).toBe("invalid_grant");
    expect((await harness.request("/api/v1/accounts", bearer(device_code))).status).toBe(401);
  });
});

test("programs that registered themselves sign in with a browser alone", async () => {
  await program.register();
  const more = { client_id: program.clientId };
  expect((await program.beginDevice(more)).body.error).toBe("unauthorized_client");
  expect(await errorOf("kmd_00", more)).toBe("unauthorized_client");
});

describe("the page", () => {
  test("asks a visitor to sign in, and comes back to the code", async () => {
    const { status, location } = await new Browser(harness).get("/device?user_code=WDJB-MJHT");
    expect(status).toBe(303);
    expect(location).toBe("/sign-in?next=%2Fdevice%3Fuser_code%3DWDJB-MJHT");
    const { html } = await new Browser(harness).get(location ?? "");
    expect(html).toContain('name="next" value="/device?user_code=WDJB-MJHT"');
  });

  test.each([
    ["small letters", (code: string) => code.toLowerCase()],
    ["spaces", (code: string) => ` ${code.replace("-", " ")} `],
    ["a long dash", (code: string) => code.replace("-", "–")],
    ["no dash", (code: string) => code.replace("-", "")],
  ])("takes a code with %s", async (_, write) => {
    const { user_code } = await begin();
    expect((await enter(write(user_code))).status).toBe(200);
  });

  test.each(["", "WDJB-MJHT", "AAAA-AAAA", "<script>", "BBBBBBBBBBBBBBBBBBBB"])(
    "asks again for %j",
    async (code) => {
      const { status, html } = await enter(code);
      expect(status).toBe(400);
      expect(html).toContain("No terminal shows this code now");
      expect(html).not.toContain("<script>");
    },
  );

  test("lets a person try five codes, and says how long to wait", async () => {
    harness = harnessWith({ publicUrl: ORIGIN, rateLimits: {} });
    browser = await new Browser(harness).signIn(member);
    program = new Program(harness);
    const { user_code } = await begin();
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) seen.push((await enter("WDJB-MJHT")).status);
    expect(seen).toEqual(Array(5).fill(400));
    const { status, headers, html } = await enter(user_code);
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toBe("900");
    expect(html).toContain("You have tried too many codes. Wait 15 minutes");
    const other = await new Browser(harness).signIn(await createMember());
    expect((await enter(user_code, other)).status).toBe(200);
    harness.advance(901);
    expect((await enter((await begin()).user_code)).status).toBe(200);
  });

  test("cannot be framed, nor answered from another site", async () => {
    const { user_code } = await begin();
    const consent = await enter(user_code);
    for (const { headers } of [await browser.get("/device"), consent]) {
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("cache-control")).toContain("no-store");
    }
    for (const path of [...formsOf(consent.html), "/device", "/device/workspace"]) {
      const page = await browser.send(path, {
        method: "POST",
        headers: { "sec-fetch-site": "cross-site" },
        body: new URLSearchParams({ user_code, decision: "allow" }),
      });
      expect([path, page.status]).toEqual([path, 403]);
    }
  });

  test("is answered by the person who saw it", async () => {
    const { device_code, user_code } = await begin();
    const consent = await enter(user_code);
    const other = await createMember();
    await joinTeam(member.teamId, other.userId, "ADMIN");
    await browser.signIn(other);
    browser.show(member.teamId);
    const { status, html } = await allow(browser, consent);
    expect(status).toBe(400);
    expect(html).toContain("Another person has signed in");
    expect(await errorOf(device_code)).toBe("authorization_pending");
  });

  test.each([
    ["allow", "allow", "deny"],
    ["deny", "allow", "deny"],
    ["allow", "deny", "allow"],
  ])("is answered once: %s, %s and %s at once", async (...decisions) => {
    const { device_code, user_code } = await begin();
    const consent = await enter(user_code);
    const answers = await Promise.all(
      decisions.map((decision) => allow(browser, consent, { decision })),
    );
    const [done, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect((await allow(browser, consent)).status).toBe(409);
    const { status, body } = await program.poll(device_code);
    const isAllowed = done?.html.includes("go back to the terminal");
    expect([status, body.error]).toEqual(isAllowed ? [200, undefined] : [400, "access_denied"]);
  });

  test("asks again when nothing is ticked, and for the code again in another workspace", async () => {
    const guest = await createMember();
    await joinTeam(guest.teamId, member.userId, "ADMIN");
    const { device_code, user_code } = await begin();
    const consent = await enter(user_code);
    const none = await allow(browser, consent, { scopes: [] });
    expect(none.status).toBe(400);
    expect(none.html).toContain("Choose what the program may do");
    const [workspace = ""] = formsOf(consent.html);
    const { location } = await browser.sendForm(workspace, { workspace: String(guest.teamId) });
    expect(location).toBe(`/device?user_code=${user_code.replace("-", "")}`);
    await allow(browser, await enter(user_code));
    expect((await program.poll(device_code)).status).toBe(200);
    const row = await env.DB.prepare(
      "SELECT t.team_id FROM tokens t JOIN oauth_grants g ON g.id = t.id WHERE t.user_id = ?",
    )
      .bind(member.userId)
      .first();
    expect(row).toEqual({ team_id: guest.teamId });
  });
});

test("the night forgets requests that are over", async () => {
  await begin();
  harness.advance(3_600);
  while ((await forgetEndedPrograms(harness.deps)) !== null);
  const row = await env.DB.prepare("SELECT count(*) AS n FROM oauth_devices").first();
  expect(row).toEqual({ n: 0 });
});
