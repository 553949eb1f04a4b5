import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { FilledForm } from "../../support/filled-form.ts";
import {
  connectSandbox,
  createMember,
  form,
  Harness,
  harnessWith,
  joinTeam,
  type Member,
} from "../../support/harness.ts";
import { measure } from "../../support/meter.ts";
import { Browser, formsOf } from "../../support/person.ts";

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

test("what is written in a form is kept when the session has ended, and sent again after the sign-in", async () => {
  const harness = new Harness();
  const member = await createMember();
  const browser = await new Browser(harness).signIn(member);
  const path = `/app/suggestions?team=${member.teamId}`;
  const written = { title: "Two words", body: "More <b>of it</b>" };
  harness.advance(30 * 86_400);
  const { status, html } = await browser.sendForm(path, written);
  expect(status).toBe(401);
  expect(html).toContain("More &lt;b&gt;of it&lt;/b&gt;");
  await browser.signIn(member);
  const unsent = new FilledForm(html, "unsent");
  const fields = { title: unsent.all("title"), body: unsent.all("body") };
  expect(fields).toEqual({ title: [written.title], body: [written.body] });
  const sent = await browser.sendForm(unsent.action, fields as Record<string, string[]>);
  expect(sent.status).toBe(303);
  const withFile = { ...written, file: new File(["x"], "x.png") };
  harness.advance(30 * 86_400);
  expect((await browser.sendForm(path, withFile)).html).not.toContain("Send it again");
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

test("a form of one tab changes nothing once another tab shows another team", async () => {
  const harness = new Harness();
  const [member, host] = [await createMember(), await createMember()];
  await joinTeam(host.teamId, member.userId, "ADMIN");
  const rename = "UPDATE teams SET name = ? WHERE id = ?";
  await env.DB.prepare(rename).bind("Harbour", member.teamId).run();
  await env.DB.prepare(rename).bind("Lighthouse", host.teamId).run();
  const zoneOf = async ({ token }: Member) =>
    (await harness.call("GET", "/settings", { token })).body.data.zone;
  const browser = await new Browser(harness).signIn(member);
  const tab = await browser.get("/app/settings");
  const [save = ""] = formsOf(tab.html).filter((action) => action.startsWith("/app/settings?"));
  await browser.post("/app/team/show", { team: String(host.teamId) });
  expect((await browser.get("/app/settings")).html).toContain("Lighthouse");

  const refused = await browser.sendForm(save, { zone: "Asia/Tokyo" });
  expect(refused.status).toBe(409);
  expect(refused.html).toContain("This form is for the team Harbour");
  expect(refused.html).toContain("gone on to Lighthouse, and nothing was changed");
  const before = [await zoneOf(member), await zoneOf(host)];
  expect(before).not.toContain("Asia/Tokyo");

  await browser.post("/app/team/show", { team: String(member.teamId) });
  expect((await browser.sendForm(save, { zone: "Asia/Tokyo" })).status).toBe(303);
  expect([await zoneOf(member), await zoneOf(host)]).toEqual(["Asia/Tokyo", before[1]]);
});

test("what is one's own is changed from any tab", async () => {
  const harness = new Harness();
  const [member, host] = [await createMember(), await createMember()];
  await joinTeam(host.teamId, member.userId, "MEMBER");
  const browser = await new Browser(harness).signIn(member);
  const forms = formsOf((await browser.get("/app/me")).html);
  expect(forms.filter((action) => action.includes("?"))).toEqual([]);
  await browser.post("/app/team/show", { team: String(host.teamId) });
  expect((await browser.sendForm("/app/me/name", { name: "Ada" })).status).toBe(303);
  expect((await browser.get("/app/me")).html).toContain('value="Ada"');
});
