import { expect, test } from "vitest";
import { createProofKey } from "../../../src/platforms/bluesky/dpop.ts";
import { proveLogin } from "../../../src/platforms/bluesky/grant.ts";
import { json, scriptedFetch } from "./scripted.ts";

const TOKEN = "the access token";
let servers = 0;

const NONCE = { "dpop-nonce": "n0" };
const done = (body: unknown = {}) => json(body, 200, NONCE);

/** A login bound to a key, at a server that no other test calls. */
const bound = (...answers: Response[]) => boundAt([done()], ...answers);

async function boundAt(looks: Response[], ...answers: Response[]) {
  const server = `https://pds${++servers}.example.com`;
  const { fetch, calls } = scriptedFetch({
    "com.example.call": answers,
    "com.atproto.server.getSession": looks,
  });
  const extra = { dpopKey: await createProofKey() };
  const credentials = { accessToken: TOKEN, refreshToken: null, expiresAt: null, extra };
  const proven = await proveLogin(fetch, credentials);
  const send = (body: BodyInit | null = null, token = TOKEN) =>
    proven(
      new Request(`${server}/xrpc/com.example.call?a=1`, {
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${token}`, "content-type": "image/png" },
        body,
      }),
    );
  return { send, calls, server };
}

const challenge = (error: string, nonce = "n1") =>
  json({ error, message: error }, 401, {
    "www-authenticate": `DPoP algs="ES256", error="${error}", error_description="${error}"`,
    "dpop-nonce": nonce,
  });

const claimsOf = (headers: Record<string, string>): Record<string, unknown> =>
  JSON.parse(atob((headers.dpop?.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));

test("proves a call, by its method, its address without the query, and the token", async () => {
  const { send, calls, server } = await bound(done({ fine: true }));
  expect(await (await send()).json()).toEqual({ fine: true });
  expect(calls[0]?.authorization).toBe(`DPoP ${TOKEN}`);
  expect(claimsOf(calls[0]?.headers ?? {})).toMatchObject({
    htm: "GET",
    htu: `${server}/xrpc/com.example.call`,
    ath: expect.stringMatching(/^[\w-]{43}$/),
    jti: expect.any(String),
  });
});

test("sends the same body again with the nonce that the server asks for, and begins with it after that", async () => {
  const { send, calls } = await bound(challenge("use_dpop_nonce"), done(), done());
  expect((await send("all of it")).status).toBe(200);
  expect((await send("more")).status).toBe(200);
  const [look, ...writes] = calls;
  expect(look).toMatchObject({ method: "GET", path: "/xrpc/com.atproto.server.getSession" });
  expect(writes.map(({ text }) => text)).toEqual(["all of it", "all of it", "more"]);
  expect(writes.map(({ contentType }) => contentType)).toEqual(Array(3).fill("image/png"));
  const nonces = writes.map(({ headers }) => claimsOf(headers).nonce);
  expect(nonces).toEqual(["n0", "n1", "n0"]);
});

test("asks twice at most", async () => {
  const { send, calls } = await bound(challenge("use_dpop_nonce"), challenge("use_dpop_nonce"));
  expect((await send()).status).toBe(401);
  expect(calls).toHaveLength(2);
});

test("hands on a refusal of the token as it is", async () => {
  const { send } = await bound(challenge("invalid_token"));
  const reply = await send();
  expect(reply.status).toBe(401);
  expect(await reply.json()).toEqual({ error: "invalid_token", message: "invalid_token" });
});

test("leaves a call with another token alone, such as one of a video service", async () => {
  const { send, calls } = await bound(json({}));
  await send("part of a video", "a service token");
  expect(calls[0]).toMatchObject({ authorization: "Bearer a service token" });
  expect(calls[0]?.headers.dpop).toBeUndefined();
});

test("rejects an answer without the nonce that servers owe, as if it had not come", async () => {
  const { send } = await bound(json({ uri: "at://made" }), json({}));
  await expect(send("a record")).rejects.toThrow(/without DPoP-Nonce/);
  const read = await send();
  expect(read.status).toBe(400);
  expect(JSON.stringify(await read.json())).toMatch(/without DPoP-Nonce/);
});

test("writes nothing at a server whose nonce is unknown and that sends none", async () => {
  const { send, calls } = await boundAt([json({ handle: "ada" })]);
  const reply = await send("a record");
  expect(reply.status).toBe(400);
  expect(JSON.stringify(await reply.json())).toMatch(/without DPoP-Nonce/);
  expect(calls.map(({ method }) => method)).toEqual(["GET"]);
});

test("takes the nonce of a refusal, and then writes once", async () => {
  const { send, calls } = await boundAt([challenge("use_dpop_nonce", "n7")], done());
  expect((await send("a record")).status).toBe(200);
  expect(calls.map(({ headers }) => claimsOf(headers).nonce)).toEqual([undefined, "n7"]);
});

test("hands on refusals without a nonce, such as those of a gateway", async () => {
  const { send } = await bound(json({ error: "Down" }, 502));
  expect((await send()).status).toBe(502);
});
