import { expect, test } from "vitest";
import { createMember, Harness, joinTeam } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";

async function signedIn() {
  const harness = new Harness();
  const member = await createMember();
  return { harness, member, browser: await new Browser(harness).signIn(member) };
}

const accountsFor = (browser: Browser, headers: Record<string, string>) =>
  browser.send("/api/v1/accounts", { method: "GET", headers });

test("a page of this instance calls the API as the signed-in person, in the team that it names", async () => {
  const { member, browser } = await signedIn();
  const other = await createMember();
  await joinTeam(other.teamId, member.userId, "MEMBER");
  for (const { teamId } of [member, other]) {
    const answer = await accountsFor(browser, { "x-team-id": String(teamId) });
    expect(answer.status).toBe(200);
  }
  const own = await browser.send("/api/v1/settings", {
    method: "GET",
    headers: { "x-team-id": String(other.teamId) },
  });
  expect(own.status).toBe(200);
});

test("a session alone is no caller: pages name their team, and other sites are refused", async () => {
  const { member, browser } = await signedIn();
  const team = { "x-team-id": String(member.teamId) };
  expect((await accountsFor(browser, {})).status).toBe(401);
  for (const site of ["cross-site", "same-site", "none"]) {
    expect((await accountsFor(browser, { ...team, "sec-fetch-site": site })).status).toBe(401);
  }
});

test("a team of other people is refused (403), and so is a session that has ended (401)", async () => {
  const { harness, browser } = await signedIn();
  const stranger = await createMember();
  const team = { "x-team-id": String(stranger.teamId) };
  const refused = await accountsFor(browser, team);
  expect(refused.status).toBe(403);
  expect(JSON.parse(refused.html).code).toBe("FORBIDDEN");
  harness.advance(31 * 86_400);
  expect((await accountsFor(browser, team)).status).toBe(401);
});

test("a token wins over a session", async () => {
  const { browser } = await signedIn();
  const other = await createMember({ scopes: ["posts:read"] });
  const answer = await accountsFor(browser, { "x-api-key": other.token });
  expect(answer.status).toBe(403);
  expect(JSON.parse(answer.html).requiredScope).toBe("accounts:read");
});
