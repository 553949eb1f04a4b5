import { beforeAll, describe, expect, test } from "vitest";
import { createMember, Harness, harnessWith } from "../support/harness.ts";

const ask = (harness: Harness, accept?: string, method = "GET") =>
  harness.request("/", { method, headers: accept === undefined ? {} : { accept } });

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

const linksOf = (page: string) => [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);

// An instance without an owner leads to its claim.
beforeAll(async () => {
  await createMember();
});

describe("the front page", () => {
  test("says what this is and that it runs, and leads on, without a script", async () => {
    const answer = await ask(new Harness(), BROWSER);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
    expect(answer.headers.get("vary")).toBe("Accept, Cookie");
    expect(answer.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src/);
    const page = await answer.text();
    expect(page).toContain("social publishing API");
    expect(page).toContain("is running");
    expect(page).toContain("https://akimbo.test/api/v1");
    expect(page).not.toMatch(/<script|<img|style="/i);
    expect(linksOf(page)).toEqual([
      "https://akimbo.test/docs/guides",
      "https://akimbo.test/docs",
      "https://akimbo.test/api/v1/openapi.json",
      "https://akimbo.test/sandbox",
      "https://akimbo.test/health",
      "/terms",
      "/privacy",
    ]);
  });

  test("leads nowhere that does not answer", async () => {
    const harness = new Harness();
    for (const link of linksOf(await (await ask(harness, BROWSER)).text())) {
      const { status } = await harness.request(new URL(link ?? "", "https://akimbo.test").pathname);
      expect([link, status]).toEqual([link, 200]);
    }
  });

  test("does not lead to a sandbox that is switched off, and says when it wants a token", async () => {
    const off = await (await ask(harnessWith({ sandboxEnabled: false }), BROWSER)).text();
    expect(off.toLowerCase()).not.toContain("sandbox");
    const production = harnessWith({ sandboxEnabled: true, isDevelopment: false });
    expect(await (await ask(production, BROWSER)).text()).toContain("It asks you to sign in");
  });

  test("stands at the address that callers use", async () => {
    const page = await (await ask(harnessWith({ publicUrl: "https://posts.example" }))).text();
    expect(linksOf(page)).toContain("https://posts.example/docs");
  });

  test.each([
    ["application/json", true],
    ["application/json, text/plain;q=0.5", true],
    ["text/html;q=0.5, application/json", true],
    [BROWSER, false],
    ["*/*", false],
    ["", false],
  ])("asked for %j is JSON: %j", async (accept, isJson) => {
    const answer = await ask(new Harness(), accept);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")?.startsWith("application/json")).toBe(isJson);
    if (!isJson) return;
    expect(await answer.json()).toEqual({
      success: true,
      data: {
        name: "Akimbo",
        api: "https://akimbo.test/api/v1",
        docs: "https://akimbo.test/docs",
        openapi: "https://akimbo.test/api/v1/openapi.json",
        health: "https://akimbo.test/health",
        sandbox: "https://akimbo.test/sandbox",
      },
    });
  });

  test("answers to GET and HEAD alone", async () => {
    expect((await ask(new Harness(), BROWSER, "HEAD")).status).toBe(200);
    const refused = await ask(new Harness(), BROWSER, "POST");
    expect(refused.status).toBe(405);
    expect(refused.headers.get("allow")).toBe("GET");
  });
});
