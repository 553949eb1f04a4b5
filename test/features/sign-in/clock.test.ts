import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { moveClock } from "../../../src/core/clock.ts";
import { Authenticator } from "../../support/authenticator.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { askForLink, useLink } from "../../support/sign-in.ts";

const DAY = 86_400;

let harness: Harness;
let member: Member;
let browser: Browser;

beforeEach(async () => {
  harness = new Harness();
  member = await createMember();
  browser = new Browser(harness);
});

afterEach(() => moveClock(0));

const askFor = async () => {
  const row = env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(member.userId);
  return askForLink(harness, browser, { email: String(await row.first("email")) });
};

async function step(name: string, json: unknown = {}) {
  const page = await browser.send(`/sign-in/passkey/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(json),
  });
  return { status: page.status, body: JSON.parse(page.html) };
}

describe.each([
  ["a clock that is 40 days late", -40 * DAY],
  ["a clock that is 40 days ahead", 40 * DAY],
])("by %s", (_, offset) => {
  beforeEach(() => moveClock(offset));

  test("links, sessions and passkeys live as long as by any other", async () => {
    const link = await askFor();
    moveClock(offset + 15 * 60 - 1);
    expect((await useLink(browser, link)).status).toBe(303);
    const device = await Authenticator.create();
    const registering = await step("register-options");
    moveClock(offset + 20 * 60 - 2);
    const response = await device.register(registering.body);
    expect((await step("register", { response })).status).toBe(200);
    browser = new Browser(harness);
    const options = await step("options");
    moveClock(offset + 25 * 60 - 3);
    expect((await step("verify", { response: await device.signIn(options.body) })).status).toBe(
      200,
    );
    expect((await browser.get("/app")).status).toBe(200);
    moveClock(offset + 30 * DAY + 25 * 60 - 4);
    expect((await browser.get("/app")).status).toBe(200);
    moveClock(offset + 30 * DAY + 25 * 60);
    expect((await browser.get("/app")).status).toBe(303);
  });

  test("a link, a challenge and a fresh sign-in end when they are due", async () => {
    const link = await askFor();
    moveClock(offset + 15 * 60 + 1);
    expect((await useLink(browser, link)).status).toBe(410);
    const [device, options] = [await Authenticator.create(), await step("options")];
    moveClock(offset + 20 * 60 + 2);
    const late = await step("verify", { response: await device.signIn(options.body) });
    expect([late.status, late.body.code]).toEqual([400, "CHALLENGE_NOT_FOUND"]);
    await browser.signIn(member);
    moveClock(offset + DAY + 20 * 60 + 3);
    const stale = await step("register-options");
    expect([stale.status, stale.body.code]).toEqual([403, "SESSION_NOT_FRESH"]);
  });
});

test("an open challenge bears the time of our clock", async () => {
  moveClock(DAY);
  await step("options");
  const row = await env.DB.prepare("SELECT created_at, expires_at FROM verifications").first();
  const now = harness.deps.now().getTime();
  expect(row).toEqual({ created_at: now, expires_at: now + 300_000 });
});
