import { expect, test } from "vitest";
import { connectors } from "../../src/platforms/registry.ts";
import { send } from "../support/agent.ts";
import { createMember, Harness } from "../support/harness.ts";

test("/llms.txt names what an agent needs, under this instance's address, and each address answers", async () => {
  const harness = new Harness();
  const answer = await harness.request("/llms.txt");
  expect(answer.headers.get("content-type")).toMatch("text/plain");
  const text = await answer.text();
  const paths = [...text.matchAll(/\]\(https:\/\/akimbo\.test(\/[^)]*)\)/g)].map(
    ([, path]) => path,
  );
  const guides = paths.filter((path) => path?.endsWith(".md"));
  expect(guides).toContain("/docs/platforms/bluesky.md");
  const others = paths.filter((path) => !guides.includes(path));
  expect(others).toEqual(["/mcp", "/api/v1/openapi.json", "/docs", "/health"]);
  for (const path of paths) {
    const { status } = await harness.request(path as string);
    expect(status, path).toBe(path === "/mcp" ? 405 : 200);
  }
});

test("/llms.txt names every platform, and the fields that each wants besides a text", async () => {
  const text = await (await new Harness().request("/llms.txt")).text();
  for (const { name } of connectors()) expect(text).toMatch(new RegExp(`[, ]${name}[, ]`));
  expect(text).toContain(
    "TikTok needs settings.tiktok.privacyLevel, YouTube a title, Pinterest settings.pinterest.boardId.\n",
  );
});

test("/llms.txt names every tool of the agent endpoint, and no other", async () => {
  const harness = new Harness();
  const { token } = await createMember();
  const { body } = await send(harness, "tools/list", {}, { token });
  const text = await (await harness.request("/llms.txt")).text();
  const named = [...text.matchAll(/^- ([a-z_]+): /gm)].map(([, name]) => name);
  const tools = body.result.tools.map(({ name }: { name: string }) => name);
  expect(named.sort()).toEqual(tools.sort());
});

test("the clients' configuration stands at /llms.txt and in the document of /docs, under the caller's own address", async () => {
  const harness = new Harness();
  const document = (await harness.call("GET", "/openapi.json")).body;
  for (const text of [
    await (await harness.request("/llms.txt")).text(),
    document.info.description as string,
  ]) {
    const blocksOf: Record<string, unknown[]> = Object.fromEntries(
      text
        .split(/^#{2,3} /m)
        .map((part) => [
          part.split("\n")[0],
          [...part.matchAll(/```(\w+)\n(.+?)\n```/gs)].map(([, language, block = ""]) =>
            language === "json" ? JSON.parse(block) : block,
          ),
        ]),
    );
    const url = "https://akimbo.test/mcp";
    const akimbo = { type: "http", url };
    expect(blocksOf).toMatchObject({
      Claude: [url, { mcpServers: { akimbo: { env: { AKIMBO_URL: "https://akimbo.test" } } } }],
      "Claude Code": [
        `claude mcp add --transport http akimbo ${url}`,
        `claude mcp add --transport http akimbo ${url} \\\n  --header "x-api-key: <API_KEY>"`,
      ],
      ChatGPT: [url],
      Codex: [
        `codex mcp add akimbo --url ${url}\ncodex mcp login akimbo`,
        `codex mcp add akimbo --url ${url} \\\n  --bearer-token-env-var AKIMBO_TOKEN`,
      ],
      Cursor: [
        { mcpServers: { akimbo: { url } } },
        { mcpServers: { akimbo: { url, headers: expect.any(Object) } } },
      ],
      "VS Code": [
        { servers: { akimbo } },
        { servers: { akimbo: { ...akimbo, headers: expect.any(Object) } } },
      ],
      "Any other client": [
        { mcpServers: { akimbo } },
        { mcpServers: { akimbo: { ...akimbo, headers: { "x-api-key": "<API_KEY>" } } } },
      ],
    });
    // The first way of each client works without a token.
    for (const [name, [first]] of Object.entries(blocksOf)) {
      if (name !== "The API") {
        expect([name, JSON.stringify(first) ?? ""].join()).not.toMatch(/key|token/i);
      }
    }
  }
});
