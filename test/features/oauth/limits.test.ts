import { expect, test } from "vitest";
import type { Config } from "../../../src/config.ts";
import { send } from "../../support/agent.ts";
import { createMember, type Harness, harnessWith } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { Program } from "../../support/program.ts";

const ORIGIN = "https://akimbo.test";
/** A client whose servers call for all of its users. */
const ADDRESS = { "cf-connecting-ip": "198.18.7.7" };

const limited = (rateLimits: Config["rateLimits"] = {}): Harness =>
  harnessWith({ publicUrl: ORIGIN, rateLimits });

async function tokensOf(harness: Harness) {
  const program = await new Program(harness).register();
  const browser = await new Browser(harness).signIn(await createMember());
  return { program, tokens: await program.tokens(browser) };
}

const call = (harness: Harness, token: string) =>
  send(harness, "tools/list", {}, { headers: { ...ADDRESS, authorization: `Bearer ${token}` } });

test("programs of many people call from one address", async () => {
  const harness = limited();
  for (let person = 0; person < 12; person++) {
    const { program, tokens } = await tokensOf(harness);
    for (let i = 0; i < 6; i++) expect((await call(harness, tokens.access_token)).status).toBe(200);
    const renewed = await program.refresh(tokens.refresh_token, {}, ADDRESS);
    expect(renewed.status).toBe(200);
  }
});

test("one grant has the calls of one agent, whatever its address", async () => {
  const harness = limited({ mcp: { limit: 3, windowSeconds: 60 } });
  const { tokens } = await tokensOf(harness);
  const statuses: number[] = [];
  for (let i = 0; i < 5; i++) {
    const headers = {
      "cf-connecting-ip": `198.18.8.${i}`,
      authorization: `Bearer ${tokens.access_token}`,
    };
    statuses.push((await send(harness, "tools/list", {}, { headers })).status);
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429]);
});

test("unknown tokens stay limited by address", async () => {
  const harness = limited();
  const statuses = new Set<number>();
  for (let i = 0; i < 12; i++) {
    const forged = `kma_${String(i).padStart(64, "0")}`;
    statuses.add((await call(harness, forged)).status);
  }
  expect([...statuses]).toEqual([401, 429]);
});

test("a full limit is said in the words of OAuth", async () => {
  const harness = limited({
    oauth: { limit: 1, windowSeconds: 60 },
    "oauth-register": { limit: 1, windowSeconds: 60 },
  });
  const program = await new Program(harness).register({}, ADDRESS);
  const fields = { grant_type: "authorization_code", code: "unknown", code_verifier: "v" };
  const asked = { ...fields, client_id: program.clientId };
  expect((await program.post("/token", asked, ADDRESS)).body.error).toBe("invalid_grant");
  const refused = await program.post("/token", asked, ADDRESS);
  expect(refused).toMatchObject({
    status: 429,
    body: {
      error: "temporarily_unavailable",
      error_description: expect.stringMatching(/^Limit of 1 calls .* Try again in \d+ s\.$/),
    },
  });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  await expect(new Program(harness).register({}, ADDRESS)).rejects.toThrow(
    "temporarily_unavailable",
  );
});
