import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { forgetEndedPrograms } from "../../../src/features/oauth/expiry.ts";
import { send } from "../../support/agent.ts";
import { createMember, type Harness } from "../../support/harness.ts";
import { Browser, formsOf } from "../../support/person.ts";
import { Program, programStage } from "../../support/program.ts";

let harness: Harness;
let browser: Browser;
let program: Program;

beforeEach(async () => {
  ({ harness, browser, program } = await programStage());
});

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

const listTools = (token: string) => send(harness, "tools/list", {}, bearer(token));

describe("the page Tokens", () => {
  test("shows all that a program asks for, and mails once until the person answers", async () => {
    const asked = { scope: "accounts:read posts:read" };
    const { access_token } = await program.tokens(browser, asked, { scopes: ["posts:read"] });
    await harness.settle();
    const mails = () =>
      harness.logs.filter((line) => "subject" in line && /asks for more/.test(`${line.subject}`))
        .length;
    const wants = async () => {
      const tools = ["list_accounts", "create_review_link"];
      const calls = [...tools, ...tools, ...tools].map((name) =>
        send(harness, "tools/call", { name, arguments: {} }, bearer(access_token)),
      );
      for (const { status } of await Promise.all(calls)) expect(status).toBe(403);
      await harness.settle();
    };
    await wants();
    expect(mails()).toBe(1);
    const { html } = await browser.get("/app/tokens");
    expect(html).toContain("It asks for: read accounts, publish posts.");
    const [extend = ""] = formsOf(html).filter((path) => path.includes("/extend"));
    const scopes = ["accounts:read", "posts:publish"];
    await browser.sendForm(extend, { scopes });
    const list = { name: "list_accounts", arguments: {} };
    expect((await send(harness, "tools/call", list, bearer(access_token))).status).toBe(200);
  });

  test("lists programs, extends one that asks for more, and ends it", async () => {
    const { access_token } = await program.tokens(browser);
    const wants = () =>
      send(
        harness,
        "tools/call",
        { name: "create_review_link", arguments: {} },
        bearer(access_token),
      );
    expect((await wants()).status).toBe(403);
    await harness.settle();
    const { html } = await browser.get("/app/tokens");
    expect(html).toContain("1 program");
    expect(html).toContain("Registered itself, from program.example");
    expect(html).toContain("It asks for: publish posts.");
    const [extend = ""] = formsOf(html).filter((path) => path.includes("/extend"));
    const { location } = await browser.sendForm(extend, { scopes: "posts:publish" });
    expect(location).toBe("/app/tokens?done=extended");
    expect((await wants()).status).toBe(200);
    expect((await browser.sendForm(extend, { scopes: "posts:publish" })).status).toBe(409);
    const id = /tokens\/(\d+)\/extend/.exec(extend)?.[1];
    await browser.post(`/app/tokens/${id}/revoke`);
    expect((await wants()).status).toBe(401);
    expect((await browser.get("/app/tokens")).html).not.toContain("1 program");
  });

  test("extends no program of another person", async () => {
    const { access_token } = await program.tokens(browser);
    await send(
      harness,
      "tools/call",
      { name: "create_review_link", arguments: {} },
      bearer(access_token),
    );
    await harness.settle();
    const [extend = ""] = formsOf((await browser.get("/app/tokens")).html).filter((path) =>
      path.includes("/extend"),
    );
    const other = await new Browser(harness).signIn(await createMember());
    const path = extend.split("?")[0] ?? "";
    expect((await other.post(path, { scopes: "posts:publish" })).status).toBe(404);
    expect((await browser.get("/app/tokens")).html).toContain("It asks for: publish posts.");
  });
});

describe("the night", () => {
  test("ends grants that were not used, and forgets programs without any", async () => {
    const { access_token, refresh_token } = await program.tokens(browser);
    await new Program(harness).register();
    harness.advance(61 * 86_400);
    expect((await program.refresh(refresh_token)).body.error).toBe("invalid_grant");
    expect((await listTools(access_token)).status).toBe(401);
    while ((await forgetEndedPrograms(harness.deps)) !== null);
    const { results } = await env.DB.prepare(
      "SELECT (SELECT count(*) FROM oauth_clients) AS clients, (SELECT count(*) FROM oauth_access) AS access, (SELECT count(*) FROM tokens WHERE name = 'A program' AND revoked_at IS NULL) AS tokens",
    ).all();
    expect(results).toEqual([{ clients: 0, access: 0, tokens: 0 }]);
  });
});
