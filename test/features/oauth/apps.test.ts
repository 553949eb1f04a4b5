import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import {
  createMember,
  type Harness,
  harnessWith,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { Browser, type Page } from "../../support/person.ts";
import { allow, Program, REDIRECT } from "../../support/program.ts";

const ORIGIN = "https://akimbo.test";
const PATH = "/app/settings/apps";

let harness: Harness;
let owner: Member;
let browser: Browser;
/** Another person of the instance, in a team of their own. */
let other: Browser;

beforeEach(async () => {
  harness = harnessWith({ publicUrl: ORIGIN });
  owner = await createMember();
  await env.DB.prepare("UPDATE teams SET name = 'Acme' WHERE id = ?").bind(owner.teamId).run();
  browser = await new Browser(harness).signIn(owner);
  other = await new Browser(harness).signIn(await createMember());
});

const register = (more: Record<string, string> = {}): Promise<Page> =>
  browser.post(PATH, { name: "Flows", redirectUris: REDIRECT, kind: "secret", ...more });

const idIn = ({ html }: Page): string => /kmx_[0-9a-f]{32}/.exec(html)?.[0] ?? "";
const secretIn = ({ html }: Page): string | null => /kms_[0-9a-f]{64}/.exec(html)?.[0] ?? null;

async function registered(more: Record<string, string> = {}) {
  const page = await register(more);
  expect(page.status, page.html).toBe(200);
  const program = new Program(harness);
  program.clientId = idIn(page);
  program.secret = secretIn(page);
  return program;
}

const FROM_APP = { resource: null, scope: "accounts:read" };

const codeOf = (program: Program, person = other) => program.code(person, FROM_APP);

/** What the token endpoint answers to a code of the app, which names no resource. */
const exchange = (program: Program, code: string, secret = program.secret) =>
  program.exchange(code, { resource: "", ...(secret && { client_secret: secret }) });

async function connected(program: Program, person = other) {
  const { status, body } = await exchange(program, await codeOf(program, person));
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const refresh = (program: Program, token: string, secret = program.secret) =>
  program.refresh(token, secret ? { client_secret: secret } : {});

const statusOf = async (token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  return (await harness.request("/api/v1/accounts", { headers })).status;
};

describe("an app of a team", () => {
  test("is registered, and allowed by a person of another team, for whom it calls the API", async () => {
    const made = await register();
    const secret = secretIn(made);
    expect(made.html).toContain("it is shown this once");
    const path = `${PATH}/${idIn(made)}`;
    for (const page of [await browser.get(PATH), await browser.get(path)]) {
      expect(secretIn(page)).toBeNull();
      for (const fact of [`${ORIGIN}/authorize`, `${ORIGIN}/token`, `${ORIGIN}/api/v1`]) {
        expect(page.html).toContain(`<pre class="whole">${fact}</pre>`);
      }
      expect(page.html).toContain("Allowed by 0 people");
      expect(page.html).toContain("not used yet");
    }
    const program = new Program(harness);
    program.clientId = idIn(made);
    program.secret = secret;
    const consent = await other.get(await program.authorizePath(FROM_APP));
    expect(consent.html).toContain(
      "<strong>Flows</strong> wants to act for you. It is an app that was registered here by the workspace <strong>Acme</strong>.",
    );
    const { access_token, scope } = await connected(program);
    expect(scope).toBe("accounts:read");
    expect(await statusOf(access_token)).toBe(200);
    const { html } = await browser.get(PATH);
    expect(html).toContain("Allowed by 1 person");
    expect(html).toContain("last used");
  });

  test("with a secret needs PKCE all the same, and its secret", async () => {
    const program = await registered();
    const without = await other.get(
      await program.authorizePath({
        ...FROM_APP,
        code_challenge: null,
        code_challenge_method: null,
      }),
    );
    expect(without.location).toContain("error=invalid_request");
    const code = await codeOf(program);
    expect((await exchange(program, code, null)).body.error).toBe("invalid_client");
    expect((await exchange(program, code, `kms_${"0".repeat(64)}`)).status).toBe(401);
    expect((await exchange(program, code)).status).toBe(200);
  });

  test("that is public has no secret", async () => {
    const program = await registered({ kind: "public" });
    expect(program.secret).toBeNull();
    await connected(program);
    const path = `${PATH}/${program.clientId}`;
    expect((await browser.get(path)).html).not.toContain(`${path}/secret`);
    expect((await browser.get(`${path}/secret`)).status).toBe(404);
    expect((await browser.post(`${path}/secret`)).status).toBe(404);
  });

  test("notes its use once a day", async () => {
    const program = await registered();
    const { refresh_token } = await connected(program);
    const usedAt = () =>
      env.DB.prepare("SELECT used_at FROM oauth_clients WHERE id = ?")
        .bind(program.clientId)
        .first("used_at");
    const first = await usedAt();
    expect(first).toBe(harness.deps.now().getTime());
    harness.advance(23 * 3_600);
    const { body } = await refresh(program, refresh_token);
    expect(await usedAt()).toBe(first);
    harness.advance(3_600);
    expect((await refresh(program, body.refresh_token)).status).toBe(200);
    expect(await usedAt()).toBe(harness.deps.now().getTime());
  });
});

describe("a wrong form", () => {
  test.each([
    [
      "https://a.example/cb\n\nhttp://b.example/cb\nno address",
      "Line 3 must be https, or http to this machine (127.0.0.1, [::1] or localhost). Line 4 is not an address.",
    ],
    ["https://a.example/#cb", "Line 1 must not have a fragment."],
    ["https://me:pw@a.example/", "Line 1 must not contain a user name or password."],
    [`https://a.example/${"x".repeat(2_000)}`, "Line 1 has more than 2000 characters."],
    ["javascript:alert(1)", "Line 1 must be https"],
    ["", "Give 1 to 10 addresses, one a line."],
    [
      Array.from({ length: 11 }, (_, i) => `https://a.example/${i}`).join("\n"),
      "Give 1 to 10 addresses, one a line.",
    ],
  ])("of %j names the line, and keeps what was typed", async (redirectUris, message) => {
    const page = await register({ redirectUris, name: "Typed", kind: "public" });
    expect(page.status).toBe(400);
    expect(page.html).toContain(message);
    expect(page.html).toContain('value="Typed"');
    expect(page.html).toContain('<option value="public" selected');
    expect(page.html).toContain(`>${redirectUris}</textarea>`);
    const { id } = await registeredId();
    const changed = await browser.post(`${PATH}/${id}`, { name: "Typed", redirectUris });
    expect([changed.status, changed.html.includes(message)]).toEqual([400, true]);
    expect(changed.html).toContain(`>${redirectUris}</textarea>`);
  });

  const registeredId = async () => ({ id: (await registered()).clientId });

  test("without a name is refused, and marks that would hide a name are taken out", async () => {
    const page = await register({ name: " \u202e " });
    expect([page.status, page.html.includes("Give 1 to 80 characters.")]).toEqual([400, true]);
    const program = await registered({ name: "Fl\u202eows\n  here" });
    expect((await browser.get(`${PATH}/${program.clientId}`)).html).toContain(
      "<h1>Fl ows here</h1>",
    );
  });

  test("of more apps than a team may have is refused", async () => {
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 49)
        INSERT INTO oauth_clients (id, kind, team_id, name, redirect_uris, auth_method, created_at)
        SELECT 'kmx_' || i, 'app', ?, 'App', '[]', 'none', 0 FROM n`,
    )
      .bind(owner.teamId)
      .run();
    await registered();
    const refused = await register();
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.html).toContain("A team has at most 50 apps.");
  });
});

test("a change of its addresses counts at once", async () => {
  const program = await registered();
  const redirectUris = "https://new.example/cb\nhttp://localhost/cb";
  const path = `${PATH}/${program.clientId}`;
  const { location } = await browser.post(path, { name: "Flows 2", redirectUris });
  expect(location).toBe(`${path}?done=changed`);
  expect((await other.get(await program.authorizePath(FROM_APP))).status).toBe(400);
  program.redirectUri = "https://new.example/cb";
  expect((await other.get(await program.authorizePath(FROM_APP))).html).toContain("Allow Flows 2?");
});

test("a new secret ends the old one at once, and keeps what people allowed", async () => {
  const program = await registered();
  const { refresh_token } = await connected(program);
  const path = `${PATH}/${program.clientId}/secret`;
  expect((await browser.get(path)).html).toContain("for 1 person");
  const secret = secretIn(await browser.post(path));
  expect(secret).not.toBe(program.secret);
  expect((await refresh(program, refresh_token)).body.error).toBe("invalid_client");
  expect((await refresh(program, refresh_token, secret)).status).toBe(200);
});

test("a deleted app is gone at once, with what people allowed it", async () => {
  const program = await registered();
  const bystander = await registered({ name: "Bystander" });
  const kept = await connected(bystander);
  const { access_token, refresh_token } = await connected(program);
  const mine = await connected(program, browser);
  const code = await codeOf(program);
  const open = await other.get(await program.authorizePath(FROM_APP));
  const path = `${PATH}/${program.clientId}/delete`;
  expect((await browser.get(path)).html).toContain("2 people allowed it to act for them");
  expect(await statusOf(access_token)).toBe(200);
  expect((await browser.post(path)).location).toBe(`${PATH}?done=deleted`);
  for (const token of [access_token, mine.access_token]) expect(await statusOf(token)).toBe(401);
  expect((await refresh(program, refresh_token)).body.error).toBe("invalid_client");
  expect((await exchange(program, code)).body.error).toBe("invalid_client");
  expect((await allow(other, open)).status).toBe(400);
  expect((await other.get("/app/tokens")).html).not.toContain("Flows");
  expect(await statusOf(kept.access_token)).toBe(200);
  expect((await browser.get(PATH)).html).not.toContain("Flows");
});

test("a deleted team takes its apps along at once, and what people of other teams allowed them", async () => {
  const program = await registered();
  const { access_token, refresh_token } = await connected(program);
  const { slug } =
    (await env.DB.prepare("SELECT slug FROM teams WHERE id = ?")
      .bind(owner.teamId)
      .first<{ slug: string }>()) ?? {};
  expect((await browser.post("/app/settings/delete", { confirm: slug ?? "" })).location).toBe(
    "/sign-in",
  );
  expect(await statusOf(access_token)).toBe(401);
  expect((await refresh(program, refresh_token)).body.error).toBe("invalid_client");
  expect((await other.get(await program.authorizePath(FROM_APP))).status).toBe(400);
});

test("a member sees the apps and changes none", async () => {
  const program = await registered();
  const member = await createMember();
  await joinTeam(owner.teamId, member.userId, "MEMBER");
  const theirs = (await new Browser(harness).signIn(member)).show(owner.teamId);
  const path = `${PATH}/${program.clientId}`;
  for (const page of [await theirs.get(PATH), await theirs.get(path)]) {
    expect(page.html).toContain("Flows");
    expect(page.html).not.toContain(`action="${PATH}`);
    expect(page.html).not.toContain(`${path}/delete`);
  }
  for (const place of [path, `${path}/secret`, `${path}/delete`]) {
    expect([place, (await theirs.post(place, { name: "x" })).status]).toEqual([place, 403]);
  }
});
