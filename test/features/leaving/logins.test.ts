import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { eraseTeams } from "../../../src/features/leaving/erase.ts";
import { createMember, type Harness, harnessWith, type Member } from "../../support/harness.ts";

const app = { clientId: "id", clientSecret: "secret" };

let harness: Harness;
let owner: Member;
/** Tokens that the platform has revoked. */
let revoked: (string | null)[];
let isSilent: boolean;

beforeEach(async () => {
  harness = harnessWith({ appKeys: { youtube: app, linkedin: app } });
  owner = await createMember();
  revoked = [];
  isSilent = false;
  harness.network = async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const name = request.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    if (pathname.endsWith("/revoke")) {
      revoked.push(new URLSearchParams(await request.text()).get("token"));
      if (isSilent) throw new DOMException("The operation timed out.", "TimeoutError");
      return Response.json({});
    }
    if (pathname.endsWith("/v2/userinfo")) return Response.json({ sub: name, name });
    return Response.json({ items: [{ id: `UC${name}`, snippet: { title: name } }] });
  };
});

let serial = 0;

/** Returns the access tokens of new YouTube accounts. */
async function connect(count: number, { token } = owner): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => `login${++serial}`);
  for (const accessToken of tokens) {
    const json = { platform: "youtube", credentials: { accessToken } };
    const { body } = await harness.call("POST", "/accounts", { token, json });
    expect(body, JSON.stringify(body)).toMatchObject({ success: true });
  }
  return tokens;
}

async function removeTeam(): Promise<void> {
  const { token, teamId } = owner;
  const { body } = await harness.call("GET", "/teams", { token });
  const json = { confirm: body.data.slug };
  expect((await harness.call("DELETE", `/teams/${teamId}`, { token, json })).status).toBe(200);
  await harness.settle();
}

async function erase(): Promise<void> {
  for (let cursor: string | null = null; ; ) {
    cursor = await eraseTeams(harness.deps, cursor);
    if (cursor === null) return;
  }
}

const accountsLeft = () =>
  env.DB.prepare("SELECT count(*) FROM accounts WHERE team_id = ?")
    .bind(owner.teamId)
    .first<number>("count(*)");

test("deleting a team revokes each of its logins at the platform, once, and no other team's", async () => {
  const tokens = await connect(10);
  const other = await createMember();
  await connect(1, other);
  await removeTeam();
  expect(revoked.length).toBeGreaterThan(0);
  await erase();
  expect([...revoked].sort()).toEqual([...tokens].sort());
  expect(await accountsLeft()).toBe(0);
});

test("a platform that does not answer keeps no team from being erased", async () => {
  const tokens = await connect(6);
  isSilent = true;
  await removeTeam();
  await erase();
  expect([...revoked].sort()).toEqual([...tokens].sort());
  expect(await accountsLeft()).toBe(0);
  expect(harness.logs).toContainEqual(expect.objectContaining({ event: "account.revoke_failed" }));
});
