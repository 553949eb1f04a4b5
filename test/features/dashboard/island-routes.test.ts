import { expect, test } from "vitest";
import { Harness } from "../../support/harness.ts";

const SCRIPT = "export{};";

const harness = () => {
  const assets = {
    fetch: async (input: Request) =>
      new URL(input.url).pathname === "/app/islands/menu.js"
        ? new Response(SCRIPT, { headers: { ETag: '"1"' } })
        : new Response(null, { status: 404 }),
  };
  return new Harness({ assets: assets as unknown as Fetcher });
};

test("scripts of pages are open, and asked for again only when they changed", async () => {
  const answer = await harness().request("/app/islands/menu.js");
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe(SCRIPT);
  expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(answer.headers.get("cache-control")).toBe("public, no-cache");
  expect(answer.headers.get("etag")).toBe('"1"');
});

test("a script of another version is refused in words (404)", async () => {
  const answer = await harness().request("/app/islands/chunk-ABC.js");
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain("Load the page again.");
});
