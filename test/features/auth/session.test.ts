import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import {
  connectSandbox,
  createMember,
  form,
  Harness,
  harnessWith,
  joinTeam,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Browser } from "../../support/person.ts";

test("a person who is signed in sees their pages, in one round trip", async () => {
  const harness = new Harness();
  const browser = await new Browser(harness).signIn(await createMember());
  const { result: page, costs } = await measure(harness, () => browser.get("/app"));
  expect(page.status).toBe(200);
  expect(page.html).toContain("A team");
  expect(costs.roundTrips).toHaveLength(1);
});

test("anybody else is led to the sign-in, and back", async () => {
  const harness = new Harness();
  const page = await new Browser(harness).get("/app?x=1");
  expect(page).toMatchObject({ status: 303, location: "/sign-in?next=%2Fapp%3Fx%3D1" });
});

test("a session that has ended or was revoked is over at once", async () => {
  const harness = new Harness();
  const member = await createMember();
  const browser = await new Browser(harness).signIn(member);
  harness.advance(30 * 86_400);
  expect((await browser.get("/app")).status).toBe(303);
  await browser.signIn(member);
  expect((await browser.get("/app")).status).toBe(200);
  await env.DB.prepare("DELETE FROM sessions WHERE user_id = ?").bind(member.userId).run();
  expect((await browser.get("/app")).status).toBe(303);
});

test("a form from another site is refused", async () => {
  const harness = new Harness();
  const browser = await new Browser(harness).signIn(await createMember());
  const foreign: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none", origin: "https://evil.example" },
  ];
  for (const headers of foreign) {
    const page = await browser.send("/app", { method: "POST", headers });
    expect(page.status).toBe(403);
    expect(page.html).toContain("another site");
  }
});

test("in production the sandbox shows a person who is signed in the posts of their team alone", async () => {
  const harness = harnessWith({ isDevelopment: false, sandboxEnabled: true });
  const [member, other] = [await createMember(), await createMember()];
  for (const one of [member, other]) {
    const accountId = await connectSandbox(harness, one);
    const fields = { accountId, description: `By team ${one.teamId}` };
    await harness.call("POST", "/upload", { token: one.token, body: form(fields) });
  }
  await harness.drain();
  const browser = await new Browser(harness).signIn(member);
  const page = await browser.get("/sandbox");
  expect(page.html).toContain(`By team ${member.teamId}`);
  expect(page.html).not.toContain(`By team ${other.teamId}`);
  expect((await new Browser(harness).get("/sandbox")).status).toBe(401);
  const forged = await new Browser(harness).forgeSession();
  expect((await forged.get("/sandbox")).status).toBe(401);
});

test("a form of a team's page changes no other team once its sender has left that one", async () => {
  const harness = new Harness();
  const [owner, admin] = [await createMember(), await createMember()];
  await joinTeam(owner.teamId, admin.userId, "ADMIN");
  const browser = (await new Browser(harness).signIn(admin)).show(owner.teamId);
  expect((await browser.post("/app/settings", { zone: "Asia/Tokyo" })).status).toBe(303);
  const path = `/teams/members/${admin.userId}`;
  await harness.call("PATCH", path, { token: owner.token, json: { isActive: false } });
  const refused = await browser.post("/app/settings", { zone: "Asia/Tokyo" });
  expect(refused.status).toBe(403);
  expect(refused.html).toContain("nothing was changed");
  const { body } = await harness.call("GET", "/settings", { token: admin.token });
  expect(body.data.zone).not.toBe("Asia/Tokyo");
  await browser.get("/app");
  expect((await browser.post("/app/settings", { zone: "Asia/Seoul" })).status).toBe(303);
});
