import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { moveClock } from "../../../src/core/clock.ts";
import { createSandboxFetch } from "../../../src/sandbox/fetch.ts";
import { unique } from "../support.ts";

afterEach(() => moveClock(0));

const PEOPLE = "sandbox-people";
const PAGES = "sandbox-pages";
const CALLBACK = "https://akimbo.test/oauth/callback/linkedin";

interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
  body: any;
}

function member() {
  const teamId = unique();
  const fetch = createSandboxFetch(env.SANDBOX_STATE, { teamId, accountId: null, uploadId: null });
  const consentUrl = (client: string, scope: string) =>
    `https://www.linkedin.com/oauth/v2/authorization?${new URLSearchParams({
      response_type: "code",
      client_id: client,
      redirect_uri: CALLBACK,
      state: "s",
      scope,
    })}`;
  const agree = async (client: string, scope: string): Promise<URL> => {
    const body = new URLSearchParams({ name: "Ada Lovelace", decision: "allow" });
    for (const one of scope.split(" ")) body.append("scope", one);
    const init = { method: "POST", body, redirect: "manual" } as const;
    const { headers } = await fetch(consentUrl(client, scope), init);
    return new URL(headers.get("location") ?? "");
  };
  const ofToken = async (fields: Record<string, string>, path = "accessToken"): Promise<Reply> => {
    const url = `https://www.linkedin.com/oauth/v2/${path}`;
    const body = new URLSearchParams({ client_secret: "secret", ...fields });
    const reply = await fetch(url, { method: "POST", body });
    return { status: reply.status, body: await reply.json() };
  };
  const logIn = async (client: string, scope: string): Promise<Reply> => {
    const code = (await agree(client, scope)).searchParams.get("code") ?? "";
    return ofToken({
      grant_type: "authorization_code",
      client_id: client,
      redirect_uri: CALLBACK,
      code,
    });
  };
  const get = async (token: string, url: string, version = "202609"): Promise<Reply> => {
    const reply = await fetch(url, {
      headers: {
        authorization: `Bearer ${token}`,
        "linkedin-version": version,
        "x-restli-protocol-version": "2.0.0",
      },
    });
    return { status: reply.status, body: await reply.json() };
  };
  return { fetch, agree, ofToken, logIn, get };
}

const USERINFO = "https://api.linkedin.com/v2/userinfo";
const ME = "https://api.linkedin.com/v2/me";
const PROJECTION =
  "?projection=(id,localizedFirstName,localizedLastName,vanityName,profilePicture(displayImage~:playableStreams))";

describe("an app", () => {
  it.each([
    [PAGES, "openid"],
    [PAGES, "profile"],
    [PEOPLE, "r_basicprofile"],
    [PEOPLE, "w_organization_social"],
    [PEOPLE, "r_member_postAnalytics"],
    ["another", "r_member_social"],
  ])("%s may not ask for %s, which its products lack", async (client, scope) => {
    const back = await member().agree(client, `w_member_social ${scope}`);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: "unauthorized_scope_error",
      error_description: `Scope &quot;${scope}&quot; is not authorized for your application`,
      state: "s",
    });
  });

  it("for pages answers /v2/me, with a picture where the projection asks for it", async () => {
    const { logIn, get } = member();
    const login = await logIn(PAGES, "r_basicprofile w_member_social");
    expect(login.body.id_token).toBeUndefined();
    const token = login.body.access_token;
    expect(await get(token, USERINFO)).toMatchObject({
      status: 403,
      body: { code: "ACCESS_DENIED" },
    });
    const names = { localizedFirstName: "Ada", localizedLastName: "Lovelace" };
    expect(await get(token, ME)).toMatchObject({
      status: 200,
      body: { ...names, profilePicture: { displayImage: expect.stringMatching(/^urn:li:/) } },
    });
    const { body } = await get(token, ME + PROJECTION);
    expect(body).toMatchObject({ ...names, vanityName: "ada_lovelace" });
    expect(body.profilePicture["displayImage~"].elements[0].identifiers[0].identifier).toMatch(
      /^https:/,
    );
    expect(body).not.toHaveProperty("localizedHeadline");
  });

  it("knows a member by an id of its own", async () => {
    const { logIn, get } = member();
    const people = await logIn(PEOPLE, "openid profile w_member_social");
    const pages = await logIn(PAGES, "r_basicprofile w_member_social");
    const { sub } = (await get(people.body.access_token, USERINFO)).body;
    const { id } = (await get(pages.body.access_token, ME)).body;
    expect(id).not.toBe(sub);
    expect(await get(people.body.access_token, ME)).toMatchObject({ status: 403 });
  });

  it("neither renews nor revokes logins of the other app", async () => {
    const { logIn, ofToken, get } = member();
    const { body } = await logIn(PAGES, "r_basicprofile w_member_social");
    const { access_token: token, refresh_token } = body;
    const renewal = { grant_type: "refresh_token", refresh_token };
    expect(await ofToken({ ...renewal, client_id: PEOPLE })).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    expect(await ofToken({ ...renewal, client_id: PAGES })).toMatchObject({ status: 200 });
    expect((await ofToken({ token, client_id: PEOPLE }, "revoke")).status).toBe(400);
    expect((await get(token, ME)).status).toBe(200);
    expect((await ofToken({ token, client_id: PAGES }, "revoke")).status).toBe(200);
    expect((await get(token, ME)).status).toBe(401);
  });
});

describe("figures of a member's post", () => {
  const figures = (urn: string, queryType: string, more = "") =>
    `https://api.linkedin.com/rest/memberCreatorPostAnalytics?q=entity&entity=(share:${encodeURIComponent(urn)})&queryType=${queryType}${more}`;

  async function published(scope = "r_basicprofile w_member_social r_member_postAnalytics") {
    const { fetch, logIn, get } = member();
    const token: string = (await logIn(PAGES, scope)).body.access_token;
    const { id } = (await get(token, ME)).body;
    const reply = await fetch("https://api.linkedin.com/rest/posts", {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "linkedin-version": "202609",
        "x-restli-protocol-version": "2.0.0",
      },
      body: JSON.stringify({
        author: `urn:li:person:${id}`,
        commentary: "Hello",
        visibility: "PUBLIC",
        distribution: {
          feedDistribution: "MAIN_FEED",
          targetEntities: [],
          thirdPartyDistributionChannels: [],
        },
        lifecycleState: "PUBLISHED",
        isReshareDisabledByAuthor: false,
      }),
    });
    const urn = reply.headers.get("x-restli-id") ?? "";
    moveClock(30 * 86_400);
    return { urn, ask: (url: string, version?: string) => get(token, url, version) };
  }

  it("come one by one, with the type as a word", async () => {
    const { urn, ask } = await published();
    for (const queryType of ["IMPRESSION", "MEMBERS_REACHED", "RESHARE", "REACTION", "COMMENT"]) {
      expect(await ask(figures(urn, queryType, "&aggregation=TOTAL"))).toMatchObject({
        status: 200,
        body: {
          elements: [
            { count: expect.any(Number), metricType: queryType, targetEntity: { share: urn } },
          ],
        },
      });
    }
  });

  it("have the type in an object before version 202605", async () => {
    const { urn, ask } = await published();
    const { body } = await ask(figures(urn, "COMMENT"), "202604");
    expect(Object.values(body.elements[0].metricType)).toEqual(["COMMENT"]);
  });

  it("need the permission", async () => {
    const { urn, ask } = await published("r_basicprofile w_member_social");
    expect(await ask(figures(urn, "COMMENT"))).toMatchObject({ status: 403 });
  });

  it.each<[string, (urn: string) => string, number]>([
    ["an unknown figure", (urn) => figures(urn, "LIKE"), 400],
    ["days", (urn) => figures(urn, "IMPRESSION", "&aggregation=DAILY"), 400],
    ["another's post", () => figures("urn:li:share:1", "COMMENT"), 403],
    ["a bare URN", (urn) => figures(urn, "COMMENT").replace(encodeURIComponent(urn), urn), 400],
    ["a wrong kind", (urn) => figures(urn, "COMMENT").replace("(share:", "(ugc:"), 400],
    ["encoded parentheses", (urn) => figures(urn, "COMMENT").replace("(", "%28"), 400],
  ])("are refused for %s", async (_, toUrl, status) => {
    const { urn, ask } = await published();
    expect((await ask(toUrl(urn))).status).toBe(status);
  });
});
