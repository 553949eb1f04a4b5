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
