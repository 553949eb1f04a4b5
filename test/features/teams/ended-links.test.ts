import { beforeEach, describe, expect, test } from "vitest";
import type { Role } from "../../../src/deps.ts";
import { decide, openConsentPage } from "../../support/consent.ts";
import { createMember, joinTeam, type Member } from "../../support/harness.ts";
import { beginLife, type Life } from "../../support/life.ts";
import { Browser } from "../../support/person.ts";
import { decisionFields } from "../../support/review-page.ts";

let life: Life;
let client: Browser;

beforeEach(async () => {
  life = await beginLife();
  client = new Browser(life.harness);
});

async function act(who: Member, method: string, path: string, json?: unknown) {
  const answer = await life.harness.call(method, path, {
    token: who.token,
    headers: { "x-team-id": String(life.member.teamId) },
    ...(json === undefined ? {} : { json }),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data;
}

async function join(role: Role): Promise<Member> {
  const person = await createMember();
  await joinTeam(life.member.teamId, person.userId, role);
  return person;
}

const memberPath = ({ userId }: Member): string => `/teams/members/${userId}`;
const patch = (who: Member, json: object) => act(life.member, "PATCH", memberPath(who), json);

async function reviewPath(who: Member, uploadId: number): Promise<string> {
  const { url } = await act(who, "POST", "/upload/review-links", { uploadIds: [uploadId] });
  return new URL(url).pathname;
}

async function connectPath(who: Member): Promise<string> {
  const json = { platform: "x", mode: "sandbox" };
  const { url } = await act(who, "POST", "/whitelabel/links", json);
  return new URL(url).pathname;
}

const statusOf = async (path: string): Promise<number> => (await client.get(path)).status;

const ENDINGS: [string, (who: Member) => Promise<unknown>][] = [
  ["is removed", (who) => act(life.member, "DELETE", memberPath(who))],
  ["leaves", (who) => act(who, "DELETE", memberPath(who))],
  ["is deactivated", (who) => patch(who, { isActive: false })],
  ["becomes a member", (who) => patch(who, { role: "MEMBER" })],
  [
    "closes their account",
    async (who) => {
      const { body } = await life.harness.call("GET", "/teams", { token: who.token });
      const { id, slug } = body.data;
      const json = { confirm: slug };
      const closed = await life.harness.call("DELETE", `/teams/${id}`, { token: who.token, json });
      expect(closed.status).toBe(200);
    },
  ],
];

describe.each(ENDINGS)("once an admin %s", (_, end) => {
  test("a client cannot decide by the admin's review link, and can by another admin's", async () => {
    const [admin, otherAdmin] = [await join("ADMIN"), await join("ADMIN")];
    const [id, otherId] = await life.insertMany([
      { status: "pending_approval" },
      { status: "pending_approval", title: "Other" },
    ]);
    const path = await reviewPath(admin, id as number);
    const otherPath = await reviewPath(otherAdmin, otherId as number);
    const form = decisionFields(await client.get(path), "approve", id);
    await end(admin);
    expect(await statusOf(path)).toBe(410);
    expect((await client.post(path, form)).status).toBe(410);
    expect(await life.row(id as number)).toMatchObject({ status: "pending_approval" });
    const shown = await client.get(otherPath);
    const approved = await client.post(otherPath, decisionFields(shown, "approve", otherId));
    expect(approved.status).toBe(303);
    expect((await life.row(otherId as number)).status).not.toBe("pending_approval");
    // The ended link does not show on the post.
    expect(await act(otherAdmin, "GET", `/upload/${id}`)).not.toHaveProperty("reviewLink");
  });

  test("nobody connects by the admin's connection link, nor goes on where it led", async () => {
    const [admin, otherAdmin] = [await join("ADMIN"), await join("ADMIN")];
    const path = await connectPath(admin);
    const otherPath = await connectPath(otherAdmin);
    const opened = await client.post(path);
    expect(opened.status).toBe(303);
    await end(admin);
    expect(await statusOf(path)).toBe(410);
    expect((await client.post(path)).status).toBe(410);
    const consentPage = await openConsentPage(client, opened.location ?? "");
    const ended = await client.get(await decide(client, consentPage));
    expect(ended.status).toBeGreaterThanOrEqual(400);
    expect(await statusOf(otherPath)).toBe(200);
    const { body } = await life.call("GET", "/accounts");
    expect(body.count).toBe(1);
  });
});

test("a client who is at the platform already connects nothing once the link's maker is removed", async () => {
  const admin = await join("ADMIN");
  const opened = await client.post(await connectPath(admin));
  const callback = await decide(client, await openConsentPage(client, opened.location ?? ""));
  await act(life.member, "DELETE", memberPath(admin));
  const ended = await client.get(callback);
  expect(ended.status).toBeGreaterThanOrEqual(400);
  expect((await life.call("GET", "/accounts")).body.count).toBe(1);
});

test("a member's connection pages stay while they are a member, whatever is said again", async () => {
  const member = await join("MEMBER");
  const path = await connectPath(member);
  await patch(member, { role: "MEMBER" });
  await patch(member, { role: "ADMIN", isActive: true });
  expect(await statusOf(path)).toBe(200);
  await patch(member, { role: "MEMBER" });
  expect(await statusOf(path)).toBe(410);
});
