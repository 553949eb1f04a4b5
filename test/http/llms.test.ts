import { expect, test } from "vitest";
import { Harness } from "../support/harness.ts";

test("/llms.txt names what an agent needs, under this instance's address, and each address answers", async () => {
  const harness = new Harness();
  const answer = await harness.request("/llms.txt");
  expect(answer.headers.get("content-type")).toMatch("text/plain");
  const text = await answer.text();
  const paths = [...text.matchAll(/\]\(https:\/\/akimbo\.test(\/[^)]*)\)/g)].map(
    ([, path]) => path,
  );
  expect(paths).toEqual(["/mcp", "/api/v1/openapi.json", "/docs", "/health"]);
  for (const path of paths) {
    const { status } = await harness.request(path as string);
    expect(status, path).toBe(path === "/mcp" ? 405 : 200);
  }
});
