import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { Authenticator } from "../../support/authenticator.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

/** Recorded from better-auth, by which people signed in before. All tests have the same signing key. */
const STORED = {
  session: {
    cookie:
      "__Secure-akimbo.session_token=XRODt44E1h9UkFfERKgR4ALwBLqj7Tfb.3%2BIlM425hP7r8SToOZ9uBITmfgYWO1ppbycssxuBjh8%3D",
    tokenHash: "171aa77f5a082f5a79ac05cac43a28b4be2f4c1e74eeb48e283112ddf2c545f9",
  },
  passkey: {
    credentialId: "2YR7NuMDAZf5vOUf46fFrQ",
    publicKey:
      "pQECAyYgASFYIOC0zLOreZPYjs1R2eSmV6ecUEV6iAyrloZgTR54a/15IlggKu8CN6hBIeUcTJCxeWlwXyIfFSrbVRMx1Mco+EcNoSE=",
    privateKey: {
      kty: "EC",
      crv: "P-256",
      x: "4LTMs6t5k9iOzVHZ5KZXp5xQRXqIDKuWhmBNHnhr_Xk",
      y: "Ku8CN6hBIeUcTJCxeWlwXyIfFSrbVRMx1Mco-EcNoSE",
      d: "iSzBmypG2zChnY4chWJB26mTeYLiU4wVRf_71aI1UME",
    },
  },
  challenge: {
    cookie:
      "__Secure-akimbo.better-auth-passkey=aXc8CYKWwNQ_GQoyLcJVB6nH7jhOcFEY.wZscejw%2F%2BMytz3Qkj9qPTaUL1vImuH5Y2awI14Hlftg%3D",
    identifier: "aXc8CYKWwNQ_GQoyLcJVB6nH7jhOcFEY",
    value: {
      type: "authentication",
      expectedChallenge: "8x6TUo5NO4Zb1WipnpxV1NVD8dMpv-bKBZ4INtiOjDs",
      userData: { id: "" },
    },
  },
};

let harness: Harness;
let member: Member;
let now: number;

beforeEach(async () => {
  harness = new Harness();
  member = await createMember();
  now = harness.deps.now().getTime();
  await env.DB.prepare("DELETE FROM passkeys").run();
});

async function storePasskey(): Promise<Authenticator> {
  const { credentialId, publicKey, privateKey } = STORED.passkey;
  await env.DB.prepare(
    `INSERT INTO passkeys (user_id, name, credential_id, public_key, counter, device_type, backed_up,
       transports, aaguid, created_at)
     VALUES (?1, 'Old key', ?2, ?3, 0, 'singleDevice', 0, 'internal',
       '00000000-0000-0000-0000-000000000000', ?4)`,
  )
    .bind(member.userId, credentialId, publicKey, now)
    .run();
  return Authenticator.restore(credentialId, privateKey);
}

async function step(browser: Browser, name: string, json: unknown, cookie?: string) {
  const page = await browser.send(`/sign-in/passkey/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(cookie && { cookie }) },
    body: JSON.stringify(json),
  });
  return { status: page.status, body: JSON.parse(page.html) };
}

test("a session that better-auth made goes on until its person signs out", async () => {
  const { cookie, tokenHash } = STORED.session;
  await env.DB.prepare(
    `INSERT INTO sessions (token_hash, user_id, created_at, updated_at, expires_at)
     VALUES (?1, ?2, ?3, ?3, ?4)`,
  )
    .bind(tokenHash, member.userId, now, now + 30 * 86_400_000)
    .run();
  const browser = new Browser(harness);
  const home = await browser.send("/app", { method: "GET", headers: { cookie } });
  expect(home.status).toBe(200);
  expect((await step(browser, "register-options", {}, cookie)).status).toBe(200);
  await browser.send("/sign-in/out", { method: "POST", headers: { cookie } });
  const after = await browser.send("/app", { method: "GET", headers: { cookie } });
  expect([after.status, after.location]).toEqual([303, "/sign-in?next=%2Fapp"]);
});

test("a passkey that better-auth stored signs in", async () => {
  const device = await storePasskey();
  const browser = new Browser(harness);
  const { body } = await step(browser, "options", {});
  const response = await device.signIn(body);
  expect(await step(browser, "verify", { response })).toEqual({
    status: 200,
    body: { success: true },
  });
  expect((await browser.get("/app")).status).toBe(200);
  const row = await env.DB.prepare("SELECT name, counter FROM passkeys").first();
  expect(row).toEqual({ name: "Old key", counter: 1 });
});

test("a challenge that better-auth gave out is answered once", async () => {
  const device = await storePasskey();
  const { cookie, identifier, value } = STORED.challenge;
  await env.DB.prepare(
    `INSERT INTO verifications (identifier, value, created_at, updated_at, expires_at)
     VALUES (?1, ?2, ?3, ?3, ?4)`,
  )
    .bind(identifier, JSON.stringify(value), now, now + 300_000)
    .run();
  const response = await device.signIn({ challenge: value.expectedChallenge });
  const statuses: number[] = [];
  for (let i = 0; i < 2; i++) {
    statuses.push((await step(new Browser(harness), "verify", { response }, cookie)).status);
  }
  expect(statuses).toEqual([200, 400]);
});
