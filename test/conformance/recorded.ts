import { createHash } from "node:crypto";

/** The scopes that a client finds on its way. */
export interface Found {
  challenge: string;
  resource: string;
  server: string;
}

/** What a client sends, as in its source, or as in logs that people have published. */
export interface Recorded {
  name: string;
  /** Where that can be read. */
  source: string;
  /** Some clients register at every attempt. */
  registrations?: number;
  registration: (server: string) => object;
  redirectUri: (server: string) => string;
  /** Null: the request has no `scope`. */
  scope: (found: Found) => string | null;
  more?: Record<string, string>;
  /** How it proves who it is at the token endpoint. */
  authentication: "none" | "client_secret_post" | "client_secret_basic";
  /** Where it is known. */
  userAgent?: { oauth: string; mcp: string };
  revision: "2025-06-18" | "2025-11-25";
  /** Opens the request by itself, without a person, before the browser does. */
  looksAhead?: true;
}

const CODE = { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] };
const PUBLIC = { token_endpoint_auth_method: "none" };

const CLAUDE = "https://claude.ai/api/mcp/auth_callback";
const HTTPX = "python-httpx/0.28.1";

const CURSOR = {
  name: "Cursor",
  source: "erp-mafia/accounted pull request 2225; soflyy/agent-connector-for-wp issue 111",
  registration: () => ({
    client_name: "Cursor",
    redirect_uris: [
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "https://www.cursor.com/agents/mcp/oauth/callback",
      "http://localhost:8787/callback",
    ],
    ...CODE,
    ...PUBLIC,
  }),
  scope: ({ server }: Found) => server,
  authentication: "none",
  revision: "2025-11-25",
} as const;

/** Codex tells its servers apart by the path of its callback. */
const codexPath = (server: string): string =>
  createHash("sha256").update(server).digest().subarray(0, 9).toString("base64url");

/** It listens on another port at every sign-in. */
const CLAUDE_CODE_CALLBACK = "http://localhost:51789/callback";
const CLAUDE_CODE = "claude-code/2.1.251 (cli)";

export const CLAUDE_CODE_REGISTERED: Recorded = {
  name: "Claude Code, registered",
  source: "anthropics/claude-code issues 10572, 52871 and 73460; getsentry/sentry-mcp issue 836",
  registration: () => ({
    client_name: "Claude Code (akimbo)",
    redirect_uris: [CLAUDE_CODE_CALLBACK],
    ...CODE,
    ...PUBLIC,
  }),
  redirectUri: () => CLAUDE_CODE_CALLBACK,
  scope: () => null,
  authentication: "none",
  userAgent: { oauth: CLAUDE_CODE, mcp: CLAUDE_CODE },
  revision: "2025-11-25",
};

export const RECORDED: readonly Recorded[] = [
  {
    name: "Claude (web, desktop and mobile), registered",
    source: "anthropics/claude-ai-mcp issues 96, 966 and 1043",
    registrations: 2,
    registration: () => ({
      client_name: "Claude",
      redirect_uris: [CLAUDE],
      token_endpoint_auth_method: "client_secret_post",
      ...CODE,
    }),
    redirectUri: () => CLAUDE,
    scope: ({ challenge }) => ` ${challenge} offline_access`,
    more: { prompt: "consent" },
    authentication: "client_secret_post",
    userAgent: { oauth: HTTPX, mcp: "Claude-User" },
    revision: "2025-11-25",
  },
  CLAUDE_CODE_REGISTERED,
  {
    ...CURSOR,
    name: "Cursor, by its loopback address",
    redirectUri: () => "http://localhost:8787/callback",
  },
  {
    ...CURSOR,
    name: "Cursor, by its own scheme",
    redirectUri: () => "cursor://anysphere.cursor-mcp/oauth/callback",
  },
  {
    name: "VS Code, registered, its usual port taken",
    source: "microsoft/vscode src/vs/base/common/oauth.ts, fetchDynamicRegistration",
    registration: () => ({
      client_name: "Visual Studio Code",
      client_uri: "https://code.visualstudio.com",
      redirect_uris: [
        "https://insiders.vscode.dev/redirect",
        "https://vscode.dev/redirect",
        "http://127.0.0.1/",
        "http://127.0.0.1:33418/",
      ],
      scope: "accounts:read posts:read posts:write analytics:read",
      application_type: "native",
      ...CODE,
      ...PUBLIC,
    }),
    redirectUri: () => "http://127.0.0.1:49822/",
    scope: ({ challenge }) => challenge,
    authentication: "none",
    revision: "2025-11-25",
  },
  {
    name: "ChatGPT, registered",
    source: "developers.openai.com/plugins/build/auth; stormkit-io/stormkit-io issue 363",
    registration: () => ({
      client_name: "ChatGPT",
      redirect_uris: ["https://chatgpt.com/connector/oauth/Xk2vQ9aB7c"],
      ...CODE,
      ...PUBLIC,
    }),
    redirectUri: () => "https://chatgpt.com/connector/oauth/Xk2vQ9aB7c",
    scope: ({ resource }) => resource,
    authentication: "none",
    revision: "2025-06-18",
  },
  {
    name: "ChatGPT, registered with a secret, an empty scope and its older address",
    source: "developers.openai.com/plugins/build/auth; getsentry/sentry-mcp pull request 1271",
    registration: () => ({
      client_name: "ChatGPT",
      redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
      ...CODE,
    }),
    redirectUri: () => "https://chatgpt.com/connector_platform_oauth_redirect",
    scope: () => "",
    authentication: "client_secret_basic",
    revision: "2025-06-18",
  },
  {
    name: "Codex",
    source: "openai/codex codex-rs/rmcp-client/src/perform_oauth_login.rs; issue 15643",
    registration: (server) => ({
      client_name: "Codex",
      redirect_uris: [`http://127.0.0.1:40917/callback/${codexPath(server)}`],
      application_type: "native",
      ...CODE,
      ...PUBLIC,
    }),
    redirectUri: (server) => `http://127.0.0.1:40917/callback/${codexPath(server)}`,
    scope: ({ server }) => server,
    authentication: "none",
    revision: "2025-06-18",
  },
  {
    name: "n8n",
    source:
      "n8n-io/n8n packages/cli/src/oauth/oauth.service.ts, packages/@n8n/client-oauth2/src/code-flow.ts",
    registration: () => ({
      redirect_uris: ["https://n8n.example/rest/oauth2-credential/callback"],
      client_name: "n8n",
      client_uri: "https://n8n.io/",
      scope: "accounts:read posts:read posts:write analytics:read",
      ...CODE,
      ...PUBLIC,
    }),
    redirectUri: () => "https://n8n.example/rest/oauth2-credential/callback",
    scope: ({ server }) => server,
    authentication: "none",
    revision: "2025-06-18",
  },
  {
    name: "mcp-remote",
    source: "geelen/mcp-remote src/lib/node-oauth-client-provider.ts",
    registration: () => ({
      redirect_uris: ["http://localhost:9696/oauth/callback"],
      client_name: "MCP CLI Client",
      client_uri: "https://github.com/modelcontextprotocol/mcp-cli",
      software_id: "2e6dc280-f3c3-4e01-99a7-8181dbd1d23d",
      software_version: "0.1.38",
      scope: "accounts:read posts:read posts:write analytics:read",
      ...CODE,
      ...PUBLIC,
    }),
    redirectUri: () => "http://localhost:9696/oauth/callback",
    scope: ({ challenge }) => challenge,
    authentication: "none",
    revision: "2025-11-25",
    looksAhead: true,
  },
];
