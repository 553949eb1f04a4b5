import { expect, test } from "vitest";
import { Harness } from "../support/harness.ts";

test("the reference page says its language", async () => {
  const answer = await new Harness().request("/docs");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
  expect(await answer.text()).toMatch(/<html lang="en"/);
});
