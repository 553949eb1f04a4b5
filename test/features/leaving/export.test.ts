import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createMember } from "../../support/harness.ts";
import { beginLife, type Life } from "../../support/life.ts";

interface Line {
  type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the line holds
  data?: any;
  after?: string;
}

const page = async (life: Life, query = "", token = life.member.token): Promise<Line[]> => {
  const answer = await life.harness.call("GET", `/export${query}`, { token });
  expect(answer.status).toBe(200);
  return answer.body;
};

/** All pages of an export, read to its end. */
async function takeAll(life: Life, limit: number, between?: () => Promise<unknown>) {
  const lines: Line[] = [];
  for (let query = `?limit=${limit}`; ; ) {
    const found = await page(life, query);
    const last = found.pop();
    expect(found.length).toBeLessThanOrEqual(limit);
    lines.push(...found);
    if (last?.type === "end") return lines;
    expect(last).toEqual({ type: "next", after: expect.any(String) });
    query = `?limit=${limit}&after=${last?.after}`;
    await between?.();
  }
}

const typesOf = (lines: Line[]) => [...new Set(lines.map(({ type }) => type))];

async function fullLife(): Promise<Life> {
  const life = await beginLife();
  await life.colleague("MEMBER");
  await life.storeFiles(3);
  await life.insertMany(Array.from({ length: 12 }, () => ({ status: "completed" })));
  await life.call("POST", "/suggestions", { title: "Idea", body: "More" });
  return life;
}

test("pages of any size hold the same lines, each once, and end", async () => {
  const life = await fullLife();
  const whole = await takeAll(life, 1_000);
  expect(typesOf(whole)).toEqual([
    ...["team", "member", "token", "account", "suggestion", "upload", "file", "event"],
  ]);
  expect(whole.filter(({ type }) => type === "upload")).toHaveLength(12);
  for (const limit of [1, 3, 7]) expect(await takeAll(life, limit)).toEqual(whole);
});

test("rows that come while pages are read disturb none of the others", async () => {
  const life = await fullLife();
  const before = await takeAll(life, 1_000);
  const uploadsOf = (lines: Line[]) =>
    lines.filter(({ type }) => type === "upload").map(({ data }) => data.id);
  let made = 0;
  const during = await takeAll(life, 5, async () => {
    life.harness.advance(1);
    if (++made < 5) await life.insert({ status: "completed" });
  });
  const ids = uploadsOf(during);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(uploadsOf(before)));
});

test("no secret is exported, and nothing of another team", async () => {
  const life = await fullLife();
  const other = await fullLife();
  await env.DB.prepare("UPDATE accounts SET credentials = 'v1.sealed' WHERE team_id = ?")
    .bind(life.member.teamId)
    .run();
  const text = JSON.stringify(await takeAll(life, 1_000));
  for (const secret of ["v1.sealed", "object_key", "objectKey", 'hash"', other.accountId]) {
    expect(text).not.toContain(secret);
  }
  expect(text).toContain(life.accountId);
});

test("the owner alone takes it, and a cursor is ours or refused", async () => {
  const life = await beginLife();
  for (const role of ["MEMBER", "ADMIN"] as const) {
    const token = await life.colleague(role);
    const headers = { "x-team-id": String(life.member.teamId) };
    const answer = await life.harness.call("GET", "/export", { token, headers });
    expect(answer).toMatchObject({ status: 403, body: { code: "FORBIDDEN" } });
  }
  const forged = (value: unknown) => btoa(JSON.stringify(value)).replaceAll("=", "");
  for (const after of [
    "x",
    "%00",
    forged(["users", null]),
    forged(["upload", [1]]),
    forged(["upload", ["1", "2"]]),
    forged(["upload", [1, { a: 1 }]]),
    forged({ type: "upload" }),
  ]) {
    const answer = await life.call("GET", `/export?after=${after}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].field).toBe("after");
  }
  for (const limit of ["0", "1001", "x"]) {
    expect((await life.call("GET", `/export?limit=${limit}`)).status).toBe(400);
  }
  const foreign = await page(life, `?after=${forged(["account", ["acc_0"]])}`);
  const { teamId } = await createMember();
  expect(JSON.stringify(foreign)).not.toContain(`"id":${teamId},`);
});
