import { expect, test } from "vitest";
import { connectSandbox, createMember, form, Harness } from "../support/harness.ts";

test("lists are CSV where the call asks for it, and formulas in them are no formulas", async () => {
  const harness = new Harness();
  const member = await createMember();
  const { token } = member;
  const read = (path: string) =>
    harness.request(`/api/v1${path}`, { headers: { "x-api-key": token } });
  const accountId = await connectSandbox(harness, member);
  await harness.call("POST", "/upload", {
    token,
    body: form({ accountId, description: '=SUM(1), "two"\nlines', status: "draft" }),
  });
  const answer = await read("/upload?format=csv");
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(answer.headers.get("content-disposition")).toContain("upload.csv");
  expect(answer.headers.get("x-request-id")).not.toBeNull();
  const text = await answer.text();
  const [header] = text.split("\r\n");
  expect(header).toMatch(/^id,/);
  expect(header?.split(",")).toContain("connectedAccount.accountName");
  expect(text).toContain(`"'=SUM(1), ""two""\nlines"`);
  const links = await read("/short-links?format=csv");
  expect((await links.text()).trim().split("\r\n")).toHaveLength(1);
  const wrong = await harness.call("GET", "/accounts?format=xml", { token });
  expect(wrong.body).toMatchObject({ success: false, error: "format: must be json or csv." });
});

test.each(["/upload?limit=2", "/posts?perPage=2", "/activity?limit=2", "/events?limit=2"])(
  "%s as CSV: its pages name each other, and hold every row once",
  async (path) => {
    const harness = new Harness();
    const member = await createMember();
    const { token } = member;
    const accountId = await connectSandbox(harness, member);
    for (const hours of [1, 5, 9, 13, 17]) {
      const schedule_date = new Date(Date.now() + hours * 3_600_000).toISOString();
      const body = form({ accountId, description: `After ${hours} hours`, schedule_date });
      const { body: made } = await harness.call("POST", "/upload", { token, body });
      await harness.call("DELETE", `/upload/${made.data.uploadId}`, { token });
    }
    const all = await harness.call("GET", path.replace("=2", "=50"), { token });
    const rows: string[] = [];
    let next: string | undefined = `/api/v1${path}&format=csv`;
    while (next) {
      const answer: Response = await harness.request(next, { headers: { "x-api-key": token } });
      rows.push(...(await answer.text()).trim().split("\r\n").slice(1));
      next = /^<(.+)>; rel="next"$/.exec(answer.headers.get("link") ?? "")?.[1];
    }
    expect(all.body.data.length).toBeGreaterThan(4);
    expect(rows).toHaveLength(all.body.data.length);
    expect(new Set(rows).size).toBe(rows.length);
  },
);

test.each([
  "/pools",
  "/webhooks",
  "/tokens",
  "/drafts",
  "/teams/invites",
  "/whitelabel/links",
  "/domains",
])("%s is a list like any other: it has a header as CSV", async (path) => {
  const harness = new Harness();
  const { token } = await createMember();
  const answer = await harness.request(`/api/v1${path}?format=csv`, {
    headers: { "x-api-key": token },
  });
  expect(answer.status).toBe(200);
  expect(await answer.text()).toMatch(/^id,/);
});
