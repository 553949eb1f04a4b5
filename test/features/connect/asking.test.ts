import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { connectors } from "../../../src/platforms/registry.ts";
import { comeBack, decide, openConsentPage, pathOf, walkConsent } from "../../support/consent.ts";
import {
  createMember,
  createToken,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { Browser, formsOf } from "../../support/person.ts";

let harness: Harness;
let owner: Member;
let member: Member;
let visitor: Browser;

beforeEach(async () => {
  harness = new Harness();
  [owner, member] = [await createMember(), await createMember()];
  await joinTeam(owner.teamId, member.userId, "MEMBER");
  visitor = new Browser(harness);
});

const inTeam = { "x-team-id": "" };

async function begin(input: object = {}, token = owner.token): Promise<string> {
  const json = { platform: "x", mode: "sandbox", ...input };
  const headers = { ...inTeam, "x-team-id": String(owner.teamId) };
  const answer = await harness.call("POST", "/accounts", { token, headers, json });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return pathOf(answer.body.authorizationUrl);
}

const countAccounts = () =>
  env.DB.prepare("SELECT count(*) AS n FROM accounts WHERE team_id = ?")
    .bind(owner.teamId)
    .first("n");

test("a permission that was not granted is named in words", async () => {
  const path = await begin();
  const page = await walkConsent(visitor, path, { without: ["media.write"] });
  expect(page.html).toContain(
    "X did not grant permission to upload pictures and videos (media.write)",
  );
});

test("every permission that a platform is asked for has words", () => {
  for (const { platform, consent, pagesApp } of connectors()) {
    for (const page of [consent, pagesApp?.consent]) {
      const { required = [], optional = [], inWords = {} } = page ?? {};
      const scopes = [...required, ...optional].sort();
      expect([platform, Object.keys(inWords).sort()]).toEqual([platform, scopes]);
    }
  }
});

test("a browser may try two platforms at once, one of them from a page of ours", async () => {
  const person = await new Browser(harness).signIn(owner);
  const first = await openConsentPage(person, await begin());
  await person.post("/app/accounts/connect", { platform: "tiktok", mode: "sandbox" });
  const back = await comeBack(person, await decide(person, first, { name: "Ada" }));
  expect(back.html).toContain("Ada is connected");
  const cookies = (await visitor.post(await begin())).headers.getSetCookie();
  expect(cookies).toEqual([expect.stringMatching(/^akimbo\.consent=[0-9a-f]{32};.* Path=\/;/)]);
});

describe("the address of a try", () => {
  test("sends nobody on: it names the team, the platform and who asks, and has one button", async () => {
    await env.DB.batch([
      env.DB.prepare("UPDATE teams SET name = '<b>Acme</b>' WHERE id = ?").bind(owner.teamId),
      env.DB.prepare("UPDATE users SET name = 'Eve' WHERE id = ?").bind(owner.userId),
    ]);
    const path = await begin({ redirectUrl: "https://client.example/done" });
    const page = await visitor.get(path);
    expect(page.status).toBe(200);
    expect(page.location).toBeNull();
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(page.html).toContain("&lt;b&gt;Acme&lt;/b&gt;");
    expect(page.html).toContain("Connect X");
    expect(page.html).toContain("Eve");
    expect(page.html).toMatch(/person-\d+@example\.com/);
    expect(page.html).toContain("client.example");
    expect(page.html).not.toContain("<script");
    expect(formsOf(page.html)).toHaveLength(1);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https:");
    const steps = await env.DB.prepare("SELECT step FROM consents WHERE team_id = ?")
      .bind(owner.teamId)
      .all();
    expect(steps.results).toEqual([{ step: "open" }]);
  });

  test("leads on by the form of its page alone, not by one of another site", async () => {
    const path = await begin();
    for (const site of ["cross-site", "same-site", "none"]) {
      const headers = { "sec-fetch-site": site };
      const refused = await visitor.send(path, { method: "POST", headers });
      expect([site, refused.status]).toEqual([site, 403]);
    }
    const sent = await visitor.post(path);
    expect(sent.status).toBe(303);
    expect(sent.location).toMatch(/^\/sandbox\//);
  });

  test("is asked for in the same way where a person began on a page of ours, whose form leads on by itself", async () => {
    const person = await new Browser(harness).signIn(owner);
    const sent = await person.post("/app/accounts/connect", { platform: "x", mode: "sandbox" });
    expect(sent.status).toBe(303);
    expect(sent.location).toMatch(/^\/sandbox\//);
    const back = await walkConsent(person, sent.location ?? "", { name: "Ada" });
    expect(back.location).toBe("/app/accounts?done=connected");
  });

  test("leaves no code and no state in the address bar once it has ended", async () => {
    const callback = await decide(visitor, await openConsentPage(visitor, await begin()), {
      name: "Ada",
    });
    const back = await visitor.get(callback);
    expect(back.status).toBe(303);
    expect(back.location).toMatch(/^\/oauth\/done\/\d+$/);
    const end = await visitor.get(back.location ?? "");
    expect(end.status).toBe(200);
    expect(end.html).toContain("Ada is connected");
    const other = await new Browser(harness).get(back.location ?? "");
    expect(other.status).toBe(400);
    expect(other.html).not.toContain("Ada");
  });
});

const ENDINGS: [string, (by: { userId: number; token: string }) => Promise<unknown>][] = [
  [
    "was removed from the team",
    ({ userId }) => harness.call("DELETE", `/teams/members/${userId}`, { token: owner.token }),
  ],
  [
    "was deactivated",
    ({ userId }) =>
      harness.call("PATCH", `/teams/members/${userId}`, {
        token: owner.token,
        json: { isActive: false },
      }),
  ],
  [
    "had their token revoked",
    async () => {
      const { body } = await harness.call("GET", "/tokens", { token: member.token });
      const id = body.data.find(({ teamId }: { teamId: number }) => teamId === owner.teamId).id;
      return harness.call("DELETE", `/tokens/${id}`, { token: member.token });
    },
  ],
];

describe.each(ENDINGS)("what a member began who %s since", (_, end) => {
  let token: string;

  beforeEach(async () => {
    token = await createToken(member.userId, { teamId: owner.teamId });
  });

  const endRights = async () => {
    expect(await end({ userId: member.userId, token })).toMatchObject({ status: 200 });
  };

  test("is not opened any more", async () => {
    const path = await begin({}, token);
    await endRights();
    for (const page of [await visitor.get(path), await visitor.post(path)]) {
      expect(page.status).toBe(400);
      expect(page.html).toContain("leads nowhere");
    }
  });

  test("connects nothing when its person comes back", async () => {
    const page = await openConsentPage(visitor, await begin({}, token));
    const callback = await decide(visitor, page, { name: "Ada" });
    await endRights();
    expect((await comeBack(visitor, callback)).status).toBe(400);
    expect(await countAccounts()).toBe(0);
  });

  test("connects nothing of several accounts to choose from", async () => {
    const path = await begin({ platform: "linkedin" }, token);
    const { location } = await walkConsent(visitor, path, { name: "Ada" });
    const html = (await visitor.get(location ?? "")).html;
    const [, account = ""] = /name="account" value="([^"]+)"/.exec(html) ?? [];
    await endRights();
    expect((await visitor.post(location ?? "", { account })).status).toBe(400);
    expect(await countAccounts()).toBe(0);
  });

  test("connects nothing where that happens while the platform answers", async () => {
    const page = await openConsentPage(visitor, await begin({}, token));
    const callback = await decide(visitor, page, { name: "Ada" });
    const { run } = harness.deps.db;
    let claims = 0;
    harness.deps.db.run = async (queries) => {
      const results = await run(queries);
      // Right after the statement that claims the attempt.
      if (++claims === 2) await endRights();
      return results;
    };
    const back = await comeBack(visitor, callback);
    harness.deps.db.run = run;
    expect(back.status).toBe(400);
    expect(await countAccounts()).toBe(0);
  });

  test("connects no account whose server was asked meanwhile", async () => {
    harness.network = async () => {
      await endRights();
      return Response.json({ did: "did:plc:alice", handle: "alice.example.com", active: true });
    };
    const answer = await harness.call("POST", "/accounts", {
      token,
      json: {
        platform: "bluesky",
        service: "https://pds.example.com",
        credentials: { accessToken: "a.b.c" },
      },
    });
    expect(answer).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
    expect(await countAccounts()).toBe(0);
  });
});

test("what a member began goes on while they may", async () => {
  const token = await createToken(member.userId, { teamId: owner.teamId });
  expect((await walkConsent(visitor, await begin({}, token))).html).toContain("is connected");
  expect(await countAccounts()).toBe(1);
});
