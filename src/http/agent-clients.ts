interface Setup {
  /** A sentence that says where the text belongs. */
  place: string;
  language: "json" | "sh" | "text";
  text: string;
}

interface AgentClient {
  name: string;
  /** By the address alone, if the client knows OAuth. */
  byAddress: Setup | null;
  /** With an API token, where the client takes one. */
  byToken: Setup | null;
}

/** A placeholder for clients without a variable for the token. */
const TOKEN = "<API_KEY>";

const json = (value: object): string => JSON.stringify(value, null, 2);

/** Introduces the list of clients. */
export const ADDING_CLIENTS = `Most clients need the address alone: they open a page of this instance, where you sign in and say what they may do. Where there is no browser, a client sends an API token as \`x-api-key\` or \`Authorization: Bearer\`; put yours in place of \`${TOKEN}\`.`;

export function agentClients(origin: string): AgentClient[] {
  const url = `${origin}/mcp`;
  return [
    {
      name: "Claude",
      byAddress: {
        place:
          "On the web and in the desktop app: Customize → Connectors (older versions: Settings → Connectors), then +, Add custom connector. It calls from Anthropic's servers, so the address has to be on the public internet.",
        language: "text",
        text: url,
      },
      byToken: {
        place:
          "In `claude_desktop_config.json` of the desktop app. It starts local servers only: this is the bridge of the `akimbo` package, which can send local files too.",
        language: "json",
        text: json({
          mcpServers: {
            akimbo: {
              command: "npx",
              args: ["--yes", "--package", "/path/to/akimbo-1.0.0.tgz", "akimbo", "mcp"],
              env: { AKIMBO_URL: origin, AKIMBO_TOKEN: TOKEN },
            },
          },
        }),
      },
    },
    {
      name: "Claude Code",
      byAddress: {
        place:
          "Run this once, then `/mcp` in a session to sign in; `--scope user` before the name keeps it for all projects.",
        language: "sh",
        text: `claude mcp add --transport http akimbo ${url}`,
      },
      byToken: {
        place: "Run this once.",
        language: "sh",
        text: `claude mcp add --transport http akimbo ${url} \\\n  --header "x-api-key: ${TOKEN}"`,
      },
    },
    {
      name: "ChatGPT",
      byAddress: {
        place:
          "On the web: Settings → Apps → Advanced settings, switch Developer mode on, then Create app with OAuth. It calls from OpenAI's servers, so the address has to be on the public internet.",
        language: "text",
        text: url,
      },
      byToken: null,
    },
    {
      name: "Codex",
      byAddress: {
        place: "Run both once.",
        language: "sh",
        text: `codex mcp add akimbo --url ${url}\ncodex mcp login akimbo`,
      },
      byToken: {
        place: "Run this once; the token is in the variable AKIMBO_TOKEN.",
        language: "sh",
        text: `codex mcp add akimbo --url ${url} \\\n  --bearer-token-env-var AKIMBO_TOKEN`,
      },
    },
    {
      name: "Cursor",
      byAddress: {
        place: "In `.cursor/mcp.json`.",
        language: "json",
        text: json({ mcpServers: { akimbo: { url } } }),
      },
      byToken: {
        place: "In `.cursor/mcp.json`; the token is in the variable AKIMBO_TOKEN.",
        language: "json",
        text: json({
          mcpServers: { akimbo: { url, headers: { "x-api-key": "$" + "{env:AKIMBO_TOKEN}" } } },
        }),
      },
    },
    {
      name: "VS Code",
      byAddress: {
        place: "In `.vscode/mcp.json`.",
        language: "json",
        text: json({ servers: { akimbo: { type: "http", url } } }),
      },
      byToken: {
        place: "In `.vscode/mcp.json`; it asks for the token at the first start.",
        language: "json",
        text: json({
          servers: {
            akimbo: { type: "http", url, headers: { "x-api-key": "$" + "{input:akimbo-token}" } },
          },
          inputs: [
            {
              type: "promptString",
              id: "akimbo-token",
              description: "Akimbo API token",
              password: true,
            },
          ],
        }),
      },
    },
    {
      name: "Any other client",
      byAddress: {
        place: "Most take this form.",
        language: "json",
        text: json({ mcpServers: { akimbo: { type: "http", url } } }),
      },
      byToken: {
        place: "Most take this form.",
        language: "json",
        text: json({
          mcpServers: { akimbo: { type: "http", url, headers: { "x-api-key": TOKEN } } },
        }),
      },
    },
  ];
}

const describe = ({ place, language, text }: Setup): string =>
  `${place}\n\n\`\`\`${language}\n${text}\n\`\`\``;

/** @param heading Markdown prefix such as `###` */
export const describeClients = (origin: string, heading: string): string =>
  agentClients(origin)
    .map(({ name, byAddress, byToken }) =>
      [
        `${heading} ${name}`,
        ...(byAddress ? [describe(byAddress)] : []),
        ...(byToken ? [`**With a token.** ${describe(byToken)}`] : []),
      ].join("\n\n"),
    )
    .join("\n\n");
