import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { revocation } from "../../../src/features/tokens/repo/revocation.ts";
import { aroundBatches } from "../../support/database.ts";
import { beginLife, type Life } from "../../support/life.ts";
import { Browser } from "../../support/person.ts";
import { decisionFields } from "../../support/review-page.ts";

let life: Life;
let client: Browser;
let uploadId: number;

beforeEach(async () => {
  life = await beginLife();
  client = new Browser(life.harness);
  [uploadId = 0] = await life.insertMany([{ status: "pending_approval" }]);
});

async function call(token: string, method: string, path: string, json?: unknown) {
  const answer = await life.harness.call(method, path, {
    token,
    headers: { "x-team-id": String(life.member.teamId) },
    ...(json === undefined ? {} : { json }),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data;
}

interface Made {
  token: { id: number; token: string };
  childToken: { id: number; token: string };
  reviewPath: string;
  connectPath: string;
  inviteId: number;
}

const pathOf = ({ url }: { url: string }): string => new URL(url).pathname;

/** Makes a token, and everything that a token can make that acts later. */
async function makeAll(by: string, email: string): Promise<Made> {
  const token = await call(by, "POST", "/tokens", { name: "Leaked" });
  const childToken = await call(token.token, "POST", "/tokens", { name: "Child" });
  const review = await call(childToken.token, "POST", "/upload/review-links", {
    uploadIds: [uploadId],
  });
  const link = { platform: "x", mode: "sandbox" };
  const connection = await call(token.token, "POST", "/whitelabel/links", link);
  const invite = await call(token.token, "POST", "/teams/invites", { email, role: "ADMIN" });
  return {
    token,
    childToken,
    reviewPath: pathOf(review),
    connectPath: pathOf(connection),
    inviteId: invite.id,
  };
}

const statusOf = async (path: string): Promise<number> => (await client.get(path)).status;

const statusFor = async (token: string): Promise<number> =>
  (await life.harness.call("GET", "/tokens", { token })).status;

const openInvites = async (): Promise<number[]> =>
  (await call(life.member.token, "GET", "/teams/invites")).map(({ id }: { id: number }) => id);

test("what a token made ends with it; what another token made stays", async () => {
  const leaked = await makeAll(life.member.token, "leaked@example.com");
  const other = await makeAll(life.member.token, "other@example.com");
  const form = decisionFields(await client.get(leaked.reviewPath), "approve", uploadId);
  await call(life.member.token, "DELETE", `/tokens/${leaked.token.id}`);
  expect(await statusFor(leaked.token.token)).toBe(401);
  expect(await statusFor(leaked.childToken.token)).toBe(401);
  expect(await statusOf(leaked.reviewPath)).toBe(410);
  expect((await client.post(leaked.reviewPath, form)).status).toBe(410);
  expect(await life.row(uploadId)).toMatchObject({ status: "pending_approval" });
  expect(await statusOf(leaked.connectPath)).toBe(410);
  expect(await openInvites()).toEqual([other.inviteId]);
  expect(await statusFor(other.childToken.token)).toBe(200);
  expect(await statusOf(other.reviewPath)).toBe(200);
  expect(await statusOf(other.connectPath)).toBe(200);
});

test.each<[what: string, path: string, json: object]>([
  ["tokens", "/tokens", { name: "Late" }],
  ["review_links", "/upload/review-links", {}],
  ["calendar_feeds", "/calendar/feeds", {}],
  ["reports", "/reports", {}],
  ["connection_links", "/whitelabel/links", { platform: "x", mode: "sandbox" }],
  ["invites", "/teams/invites", { email: "late@example.com", role: "ADMIN" }],
])(
  "a call that is under way while its token is revoked makes nothing: %s",
  async (table, path, json) => {
    const { id, token } = await call(life.member.token, "POST", "/tokens", { name: "Leaked" });
    const count = () => env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first<number>("n");
    const before = await count();
    let isRevoked = false;
    const restore = aroundBatches(life.harness, async (run, text) => {
      if (!isRevoked && text.includes(`INSERT INTO ${table}`)) {
        isRevoked = true;
        const statements = revocation({ id, atMs: Date.now() });
        await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)));
      }
      return run();
    });
    const answer = await life.harness.call("POST", path, {
      token,
      headers: { "x-team-id": String(life.member.teamId) },
      json,
    });
    restore();
    expect(isRevoked).toBe(true);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(await count()).toBe(before);
  },
);

test("a child token that is revoked takes nothing of its parent along", async () => {
  const { token, childToken, reviewPath, connectPath, inviteId } = await makeAll(
    life.member.token,
    "parent@example.com",
  );
  await call(life.member.token, "DELETE", `/tokens/${childToken.id}`);
  expect(await statusFor(token.token)).toBe(200);
  expect(await statusOf(connectPath)).toBe(200);
  expect(await openInvites()).toEqual([inviteId]);
  expect(await statusOf(reviewPath)).toBe(410);
});

test("a token of another person is not found, and ends nothing", async () => {
  const stranger = await beginLife();
  const { token, childToken, reviewPath } = await makeAll(life.member.token, "mine@example.com");
  const refused = await life.harness.call("DELETE", `/tokens/${token.id}`, {
    token: stranger.member.token,
  });
  expect(refused.status).toBe(404);
  expect(await statusFor(childToken.token)).toBe(200);
  expect(await statusOf(reviewPath)).toBe(200);
});
