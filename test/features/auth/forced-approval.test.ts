import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import type { Role } from "../../../src/deps.ts";
import { connectSandbox, form } from "../../support/harness.ts";
import { beginLife, type Life, later } from "../../support/life.ts";

let life: Life;

beforeEach(async () => {
  life = await beginLife();
});

const force = () => life.call("PATCH", "/settings", { requireMemberApproval: true });

const scheduled = () => ({ status: "scheduled", scheduled_for: later(7_200).getTime() });
const approved = () => ({ approved_hash: "a".repeat(64), approved_by: "team" });

type Ended = () => Promise<[method: string, path: string, json?: object]>;

const newest = async () =>
  (await env.DB.prepare("SELECT user_id FROM tokens ORDER BY id DESC LIMIT 1").first<number>(
    "user_id",
  )) ?? 0;

const post = async (columns: Record<string, string | number | null>) => {
  const id = await life.insert(columns);
  return ["DELETE", `/upload/${id}`] as [string, string];
};

const webhook = async (): Promise<number> => {
  const json = { url: "https://example.com/hook", events: ["upload.failed"] };
  return (await life.call("POST", "/webhooks", json)).body.data.id;
};

const CASES: [name: string, ended: Ended, mayForcedMember: boolean][] = [
  ["a post that another person has planned", () => post(scheduled()), false],
  ["a post that another person sends now", () => post({ status: "pending" }), false],
  [
    "their own post that was approved",
    async () => post({ ...scheduled(), ...approved(), created_by: await newest() }),
    false,
  ],
  [
    "an approved post that an edit has sent back",
    () => post({ status: "pending_approval", ...approved() }),
    false,
  ],
  [
    "their own post from before posts needed an approval",
    async () => post({ ...scheduled(), created_by: await newest() }),
    true,
  ],
  ["another person's draft", () => post({ status: "draft" }), false],
  ["another person's failed post", () => post({ status: "failed" }), false],
  ["their own draft", async () => post({ status: "draft", created_by: await newest() }), true],
  [
    "their own post that waits for its first approval",
    async () => post({ status: "pending_approval", created_by: await newest() }),
    true,
  ],
  [
    "their own failed post",
    async () => post({ status: "failed", created_by: await newest() }),
    true,
  ],
  [
    "an account",
    async () => {
      const id = await connectSandbox(life.harness, life.member, "Bob", "x");
      return ["DELETE", `/accounts/${id}`];
    },
    false,
  ],
  ["a webhook, for good", async () => ["DELETE", `/webhooks/${await webhook()}`], false],
  [
    "a webhook, for a while",
    async () => ["PATCH", `/webhooks/${await webhook()}`, { isActive: false }],
    false,
  ],
];

describe.each(CASES)("ending %s", (_, ended, mayForcedMember) => {
  test.each<[string, Role, boolean]>([
    ["a member whose posts wait for approval", "MEMBER", true],
    ["any other member", "MEMBER", false],
    ["an admin of that team", "ADMIN", true],
  ])("by %s", async (_name, role, isForced) => {
    if (isForced) await force();
    const token = await life.colleague(role);
    const [method, path, json] = await ended();
    const answer = await life.call(method, path, json, token);
    const isAllowed = role !== "MEMBER" || !isForced || mayForcedMember;
    expect(answer.status, JSON.stringify(answer.body)).toBe(isAllowed ? 200 : 403);
    if (!isAllowed) expect(answer.body).toMatchObject({ code: "FORBIDDEN" });
  });
});

test.each(["approved and then edited by its author", "planned by the owner and then edited"])(
  "a post that was %s is not the member's to delete",
  async (what) => {
    await force();
    const token = await life.colleague("MEMBER");
    const isOwn = what.startsWith("approved");
    const columns = { ...scheduled(), ...approved(), approver_id: 1 };
    const id = await life.insert(isOwn ? { ...columns, created_by: await newest() } : columns);
    const edit = await life.call("PATCH", `/upload/${id}`, { description: "Other words" }, token);
    expect(edit.body.data.status).toBe("pending_approval");
    expect((await life.call("DELETE", `/upload/${id}`, undefined, token)).status).toBe(403);
    expect((await life.call("DELETE", `/upload/${id}`)).status).toBe(200);
  },
);

test("items of a pool are not a member's to remove", async () => {
  const json = { name: "Tips", timezone: "UTC", slots: [] };
  const pool = await life.call("POST", "/pools", json);
  expect(pool.status, JSON.stringify(pool.body)).toBe(200);
  const { id } = pool.body.data ?? pool.body.pool;
  const items = [{ title: "One", videoUrl: "https://example.com/one.mp4" }];
  const added = await life.call("POST", `/pools/${id}/videos/bulk`, { items });
  const [item] = added.body.items;
  await force();
  const token = await life.colleague("MEMBER");
  for (const path of [`/pools/${id}/videos/${item.id}`, `/pools/${id}/videos`]) {
    expect((await life.call("DELETE", path, undefined, token)).status).toBe(403);
  }
  expect((await life.call("DELETE", `/pools/${id}/videos`)).body).toMatchObject({ removed: 1 });
});

test("a held post says so in the same words, whether its outcome is waited for or not", async () => {
  await force();
  const token = await life.colleague("MEMBER");
  for (const query of ["", "?async=false"]) {
    const body = form({ accountId: life.accountId, description: `Held ${query}` });
    const answer = await life.harness.call("POST", `/upload${query}`, { token, body });
    expect(answer.body.message).toMatch(/^Held for approval\./);
    expect(answer.body.data.status).toBe("pending_approval");
  }
});
