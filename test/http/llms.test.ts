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
    const byName = Object.fromEntries(
      text.split("### ").flatMap((part) => {
        const [, config] = /```json\n(.+?)\n```/s.exec(part) ?? [];
        return config ? [[part.split("\n")[0], JSON.parse(config)]] : [];
      }),
    );
    expect(Object.keys(byName)).toEqual([
      "Claude Desktop",
      "Cursor",
      "VS Code",
      "Any other client",
    ]);
    const url = "https://akimbo.test/mcp";
    expect(byName["Claude Desktop"].mcpServers.akimbo.env.AKIMBO_URL).toBe("https://akimbo.test");
    expect(byName.Cursor.mcpServers.akimbo.url).toBe(url);
    expect(byName["VS Code"].servers.akimbo.url).toBe(url);
    expect(byName["Any other client"].mcpServers.akimbo.url).toBe(url);
    expect(text).toContain(
      `claude mcp add --transport http akimbo ${url} \\\n  --header "x-api-key: `,
    );
  }
});
