import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createDeps } from "../../../src/deps.ts";
import { CallRecord } from "../../../src/features/rehearsal/record.ts";
import {
  HIDDEN,
  shownAddress,
  shownAnswer,
  shownText,
} from "../../../src/features/rehearsal/redact.ts";
import { canariesIn } from "../../support/canaries.ts";
import { connectSandbox, type Harness, harnessWith, instanceOwner } from "../../support/harness.ts";

const LONG = "AQXdSP_W41_UPs5ioT_t8HESyODB4FqbkJ8LrV_5mff4gPODzOYR";

describe("an address is shown without secrets", () => {
  test.each([
    ["https://api.x.com/2/tweets/12", "https://api.x.com/2/tweets/12"],
    [
      "https://graph.facebook.com/v26.0/1_2?fields=is_published&access_token=EAAB&appsecret_proof=ab",
      `https://graph.facebook.com/v26.0/1_2?fields=is_published&access_token=${HIDDEN}&appsecret_proof=${HIDDEN}`,
    ],
    [
      "https://open-upload.tiktokapis.com/video/?upload_id=67890&upload_token=Xza123",
      `https://open-upload.tiktokapis.com/video/?upload_id=${HIDDEN}&upload_token=${HIDDEN}`,
    ],
    ["https://me:pass@example.com/a#token", "https://example.com/a"],
    [
      `https://www.linkedin.com/dms-uploads/${LONG}/0`,
      `https://www.linkedin.com/dms-uploads/${HIDDEN}/0`,
    ],
    ["no address", HIDDEN],
  ])("%s", (address, shown) => {
    expect(shownAddress(address, [])).toBe(shown);
  });
});

describe("an answer is shown without secrets", () => {
  test.each([
    ['{"data":{"id":"19","text":"Hello"}}', '{"data":{"id":"19","text":"Hello"}}'],
    ['{"error":{"code":190,"message":"No"}}', '{"error":{"code":190,"message":"No"}}'],
    ['{"error":{"code":"scope_not_authorized"}}', '{"error":{"code":"scope_not_authorized"}}'],
    ['{"code":"4/0AeanS0a"}', `{"code":"${HIDDEN}"}`],
    ['{"access_token":"a","id_token":"b"}', `{"access_token":"${HIDDEN}","id_token":"${HIDDEN}"}`],
    ['{"accessJwt":"a","did":"did:plc:1"}', `{"accessJwt":"${HIDDEN}","did":"did:plc:1"}`],
    [
      '{"data":{"upload_url":"https://a.test/?t=1","publish_id":"v_pub~1"}}',
      `{"data":{"upload_url":"${HIDDEN}","publish_id":"v_pub~1"}}`,
    ],
    [
      '{"paging":{"next":"https://a.test/b?access_token=1&limit=2"}}',
      `{"paging":{"next":"https://a.test/b?access_token=${HIDDEN}&limit=2"}}`,
    ],
    ['{"emailAddress":"a@b.test","phone":"1"}', `{"emailAddress":"${HIDDEN}","phone":"${HIDDEN}"}`],
    [`{"message":"Token ${LONG} is bad"}`, `{"message":"Token ${HIDDEN} is bad"}`],
    [
      '{"uri":"at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.post/3l"}',
      '{"uri":"at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.post/3l"}',
    ],
    ["Bad Gateway", "Bad Gateway"],
    ["", null],
  ])("%s", (body, shown) => {
    expect(shownAnswer(body, "application/json", [])).toBe(shown);
  });

  test("pages of HTML and long bodies are not shown", () => {
    expect(shownAnswer("<html>secret</html>", "text/html", [])).toBe("(HTML of 19 characters)");
    expect(shownAnswer(null, "", [])).toBe("(a long body)");
    expect(shownAnswer(JSON.stringify({ a: "b c ".repeat(1_000) }), "", [])).toHaveLength(800);
  });

  test("a known secret is hidden in every form", () => {
    const secret = 'pä"ss w/rd';
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      expect(shownText(`before ${form} after`, [secret])).toBe(`before ${HIDDEN} after`);
    }
  });
});

test("a token that looks like an address is hidden, and the server of a login is not", () => {
  const record = new CallRecord(() => new Date());
  const extra = { issuer: "https://bsky.social", key: "urn:key:1" };
  record.hideLogin({
    accessToken: "https:tok:1",
    refreshToken: "token:abc",
    expiresAt: null,
    extra,
  });
  expect(record.clean("urn:key:1, https:tok:1 and token:abc from https://bsky.social")).toBe(
    `${HIDDEN}, ${HIDDEN} and ${HIDDEN} from https://bsky.social/`,
  );
});

/** Answers like X, and puts what it was sent into every answer. */
const hostileX = (harness: Harness, planted: Record<string, string>) => {
  let tries = 0;
  harness.network = async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const echo = {
      headers: Object.fromEntries(request.headers),
      sent: await request.text(),
      ...planted,
      note: Object.values(planted).join(" and "),
    };
    const answer = (status: number, body: object) =>
      Response.json({ ...echo, ...body }, { status, headers: { "set-cookie": "a=canary-cookie" } });
    if (pathname === "/2/oauth2/token") {
      const { fresh_access: access_token = "", fresh_refresh: refresh_token = "" } = planted;
      return answer(200, { access_token, refresh_token, expires_in: 7200, token_type: "bearer" });
    }
    if (request.method === "POST" && tries++ === 0) return answer(401, { title: "Unauthorized" });
    if (request.method === "POST") return answer(201, { data: { id: "19", text: "Hello" } });
    if (request.method === "DELETE") return answer(200, { data: { deleted: true } });
    return answer(200, { data: [{ id: "19", text: "Hello" }] });
  };
};

test("no secret of app or login is in the record, whatever the platform answers", async () => {
  const { appKeys } = createDeps(env).config;
  const canaries = {
    app: "canary app secret 7d1f",
    fresh_access: "canary-fresh-access-81be",
    fresh_refresh: "canary-fresh-refresh-03ac",
  };
  const harness = harnessWith({
    appKeys: { ...appKeys, x: { clientId: "client", clientSecret: canaries.app } },
  });
  const owner = await instanceOwner();
  const accountId = await connectSandbox(harness, owner, "Ada", "x");
  await env.DB.prepare("UPDATE accounts SET mode = 'live' WHERE id = ?").bind(accountId).run();
  hostileX(harness, canaries);
  const { body } = await harness.call("POST", "/rehearsals", {
    token: owner.token,
    json: { accountId },
  });
  const answers: string[] = [];
  let sent = "";
  const { network } = harness;
  harness.network = async (input, init) => {
    const request = new Request(input, init);
    sent += JSON.stringify([...request.headers]);
    return network(request);
  };
  for (let tries = 0; tries < 10; tries++) {
    const step = await harness.call("POST", `/rehearsals/${body.data.id}/step`, {
      token: owner.token,
      json: { acceptPublic: true },
    });
    expect(step.status).toBe(200);
    answers.push(JSON.stringify(step.body));
    if (step.body.next === "over") break;
  }
  const record = answers.join("\n");
  expect(record).toContain("POST");
  expect(record).toContain('"outcome":"removed"');
  const tokens = [...sent.matchAll(/Bearer ([^"\\]+)/g)].map(([, token = ""]) => token);
  expect(new Set(tokens).size).toBe(2);
  const login = Object.fromEntries(tokens.map((token, i) => [`token ${i}`, token]));
  expect(canariesIn({ ...canaries, ...login, cookie: "canary-cookie" }, record)).toEqual([]);
});

test("a refusal that repeats the login is told without it", async () => {
  const harness = harnessWith({});
  const owner = await instanceOwner();
  const accountId = await connectSandbox(harness, owner, "Ada", "x");
  await env.DB.prepare("UPDATE accounts SET mode = 'live' WHERE id = ?").bind(accountId).run();
  let token = "";
  harness.network = async (input, init) => {
    token = new Request(input, init).headers.get("authorization")?.slice("Bearer ".length) ?? "";
    return Response.json({ detail: `Not with ${token}.`, title: "Forbidden" }, { status: 403 });
  };
  const json = { accountId };
  const { body } = await harness.call("POST", "/rehearsals", { token: owner.token, json });
  const steps: string[] = [];
  for (let tries = 0; tries < 3; tries++) {
    const step = await harness.call("POST", `/rehearsals/${body.data.id}/step`, {
      token: owner.token,
      json: { acceptPublic: true },
    });
    steps.push(JSON.stringify(step.body));
  }
  expect(token).not.toBe("");
  expect(steps.join()).toContain(`Not with ${HIDDEN}.`);
  expect(canariesIn({ token }, steps.join())).toEqual([]);
  const row = await env.DB.prepare("SELECT message FROM rehearsals WHERE id = ?")
    .bind(body.data.id)
    .first("message");
  expect(row).toBe(`Not with ${HIDDEN}.`);
});
