import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { forgetEndedSignIns } from "../../../src/features/sign-in/expiry.ts";
import { createMember, Harness } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { askForLink } from "../../support/sign-in.ts";

const count = async (table: string) =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<{ n: number }>())?.n;

test("sessions and links that are over are removed, and no others", async () => {
  const harness = new Harness();
  const member = await createMember();
  const user = env.DB.prepare("SELECT email FROM users WHERE id = ?").bind(member.userId);
  const { email } = (await user.first<{ email: string }>()) ?? { email: "" };
  const browser = await new Browser(harness).signIn(member);
  await askForLink(harness, browser, { email });
  harness.advance(86_400);
  await askForLink(harness, browser, { email });
  expect(await forgetEndedSignIns(harness.deps)).toBeNull();
  expect([await count("sessions"), await count("verifications")]).toEqual([1, 1]);
  harness.advance(30 * 86_400);
  await forgetEndedSignIns(harness.deps);
  expect([await count("sessions"), await count("verifications")]).toEqual([0, 0]);
});

test("a night's worth is removed slice by slice", async () => {
  const harness = new Harness();
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 700)
     INSERT INTO verifications (identifier, value, created_at, updated_at, expires_at)
     SELECT 'old ' || i, '{}', 1, 1, 1 FROM n`,
  ).run();
  expect(await forgetEndedSignIns(harness.deps)).toBe("more");
  expect(await forgetEndedSignIns(harness.deps)).toBeNull();
  expect(await count("verifications")).toBe(0);
});

test("an invite is forgotten 30 days after its end, with the addresses given for it", async () => {
  const harness = new Harness();
  const { token } = await createMember();
  const json = { role: "MEMBER" };
  const { body } = await harness.call("POST", "/teams/invites", { token, json });
  const path = new URL(body.data.inviteLink).pathname;
  await new Browser(harness).post(path, { email: "given@example.com" });
  harness.advance(36 * 86_400);
  await forgetEndedSignIns(harness.deps);
  expect([await count("invites"), await count("invite_addresses")]).toEqual([1, 1]);
  harness.advance(2 * 86_400);
  await forgetEndedSignIns(harness.deps);
  expect([await count("invites"), await count("invite_addresses")]).toEqual([0, 0]);
});
