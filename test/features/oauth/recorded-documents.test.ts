import { beforeEach, expect, test } from "vitest";
import { send } from "../../support/agent.ts";
import type { Harness } from "../../support/harness.ts";
import type { Browser } from "../../support/person.ts";
import { type Program, programStage } from "../../support/program.ts";

let harness: Harness;
let browser: Browser;
let program: Program;

beforeEach(async () => {
  ({ harness, browser, program } = await programStage());
});

interface Vendor {
  name: string;
  /** The address of its document. */
  id: string;
  redirectUris: string[];
  more?: object;
  redirectUri: string;
  scope: string | null;
}

const SCOPES = "accounts:read posts:read posts:write analytics:read";

/** Sources: claude.com/docs/connectors/building/authentication; microsoft/vscode oauth.ts; developers.openai.com/plugins/build/auth. */
const VENDORS: Vendor[] = [
  {
    name: "Claude",
    id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
    redirectUris: [
      "https://claude.ai/api/mcp/auth_callback",
      "https://claude.com/api/mcp/auth_callback",
    ],
    redirectUri: "https://claude.ai/api/mcp/auth_callback",
    scope: ` ${SCOPES} offline_access`,
  },
  {
    name: "Claude Code",
    id: "https://claude.ai/oauth/claude-code-client-metadata",
    redirectUris: ["http://localhost/callback", "http://127.0.0.1/callback"],
    redirectUri: "http://localhost:3118/callback",
    scope: null,
  },
  {
    name: "Visual Studio Code",
    id: "https://vscode.dev/oauth/client-metadata.json",
    redirectUris: ["https://vscode.dev/redirect", "http://127.0.0.1/", "http://127.0.0.1:33418/"],
    more: { application_type: "native", client_uri: "https://code.visualstudio.com" },
    redirectUri: "http://127.0.0.1:49822/",
    scope: SCOPES,
  },
  {
    name: "ChatGPT",
    id: "https://chatgpt.com/oauth/Xk2vQ9aB7c/client.json",
    redirectUris: ["https://chatgpt.com/connector/oauth/Xk2vQ9aB7c"],
    more: {
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      jwks_uri: "https://chatgpt.com/oauth/jwks.json",
    },
    redirectUri: "https://chatgpt.com/connector/oauth/Xk2vQ9aB7c",
    scope: SCOPES,
  },
  {
    name: "Codex",
    id: "https://chatgpt.com/oauth/codex/client.json",
    redirectUris: ["http://127.0.0.1/callback/YWtpbWJvLXRl"],
    redirectUri: "http://127.0.0.1:40917/callback/YWtpbWJvLXRl",
    scope: SCOPES,
  },
];

test.each(VENDORS)("$name signs in by its document, calls and renews", async (vendor) => {
  const { name, id, redirectUris, more = {}, redirectUri, scope } = vendor;
  const fetched: string[] = [];
  harness.network = async (input) => {
    fetched.push(new Request(input).url);
    return Response.json({
      client_id: id,
      client_name: name,
      redirect_uris: redirectUris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...more,
    });
  };
  program.clientId = id;
  program.redirectUri = redirectUri;
  const page = await browser.get(await program.authorizePath({ scope }));
  expect(page.html).toContain(`vouched for by <strong>${new URL(id).hostname}</strong>`);
  const first = await program.tokens(browser, { scope });
  expect(first.scope).toBe(SCOPES);
  const { body: second } = await program.refresh(first.refresh_token);
  for (const { access_token } of [first, second]) {
    const headers = { authorization: `Bearer ${access_token}`, "user-agent": "Claude-User" };
    expect((await send(harness, "tools/list", {}, { headers })).status).toBe(200);
  }
  expect(fetched).toEqual([id]);
});
