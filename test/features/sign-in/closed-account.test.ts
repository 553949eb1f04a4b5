import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { Authenticator } from "../../support/authenticator.ts";
import { aroundBatches } from "../../support/database.ts";
import { createMember, Harness, type Member } from "../../support/harness.ts";
import { Browser } from "../../support/person.ts";
import { askForLink, useLink } from "../../support/sign-in.ts";

const readValue = (sql: string, id: number) =>
  env.DB.prepare(sql).bind(id).first<string | number>("value");

const sessions = ({ userId }: Member) =>
  readValue("SELECT count(*) AS value FROM sessions WHERE user_id = ?", userId);

async function askFor(harness: Harness, { userId }: Member): Promise<string> {
  const email = await readValue("SELECT email AS value FROM users WHERE id = ?", userId);
  return askForLink(harness, new Browser(harness), { email: String(email) });
}

async function close(harness: Harness, { teamId, token }: Member): Promise<number> {
  const confirm = await readValue("SELECT slug AS value FROM teams WHERE id = ?", teamId);
  return (await harness.call("DELETE", `/teams/${teamId}`, { token, json: { confirm } })).status;
}

/** Closes the account just before its session is stored. */
function closeBeforeSession(harness: Harness, member: Member): void {
  const end = aroundBatches(harness, async (run, text) => {
    if (text.includes("INSERT INTO sessions")) {
      end();
      expect(await close(harness, member)).toBe(200);
    }
    return run();
  });
}

test("somebody whose account is closed while they use a link is not signed in", async () => {
  const harness = new Harness();
  const member = await createMember();
  const link = await askFor(harness, member);
  closeBeforeSession(harness, member);
  const page = await useLink(new Browser(harness), link);
  expect([page.status, page.headers.getSetCookie()]).toEqual([403, []]);
  expect(page.html).toContain("Ask for a new invite");
  expect(await sessions(member)).toBe(0);
});

test("somebody whose account is closed while they use a passkey is not signed in", async () => {
  const harness = new Harness();
  const member = await createMember();
  const browser = await new Browser(harness).signIn(member);
  const device = await Authenticator.create();
  const step = async (name: string, json: unknown = {}) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(json) };
    const page = await browser.send(`/sign-in/passkey/${name}`, init);
    return { status: page.status, body: JSON.parse(page.html) };
  };
  const added = await device.register((await step("register-options")).body);
  expect((await step("register", { response: added })).status).toBe(200);
  const response = await device.signIn((await step("options")).body);
  closeBeforeSession(harness, member);
  const refused = await step("verify", { response });
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining("again")]);
  expect(await sessions(member)).toBe(0);
});

test("of ten who use their links while their accounts are closed, none stays signed in", async () => {
  const harness = new Harness();
  const members = await Promise.all(Array.from({ length: 10 }, () => createMember()));
  const links: string[] = [];
  for (const member of members) links.push(await askFor(harness, member));
  const tries = members.flatMap((member, i) => [
    useLink(new Browser(harness), links[i] ?? ""),
    close(harness, member),
  ]);
  const answers = await Promise.all(tries);
  expect(answers.filter((answer) => typeof answer === "number")).toEqual(Array(10).fill(200));
  for (const answer of answers) {
    if (typeof answer !== "number") expect([303, 403]).toContain(answer.status);
  }
  expect(await Promise.all(members.map(sessions))).toEqual(Array(10).fill(0));
});
