interface AgentClient {
  name: string;
  /** A sentence that says where the text belongs. */
  place: string;
  language: "json" | "sh";
  text: string;
}

/** A placeholder for clients without a variable for the token. */
const TOKEN = "<API_KEY>";

const json = (value: object): string => JSON.stringify(value, null, 2);

export function agentClients(origin: string): AgentClient[] {
  const url = `${origin}/mcp`;
  return [
    {
      name: "Claude Code",
      place: "Run this once; `--scope user` keeps it for all projects.",
      language: "sh",
      text: `claude mcp add --transport http akimbo ${url} \\\n  --header "x-api-key: ${TOKEN}"`,
    },
    {
      name: "Claude Desktop",
      place:
        "In `claude_desktop_config.json`. It starts local servers only: this is the bridge of the `akimbo` package, which can send local files too.",
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
    {
      name: "Cursor",
      place: "In `.cursor/mcp.json`; the token is in the variable AKIMBO_TOKEN.",
      language: "json",
      text: json({
        mcpServers: { akimbo: { url, headers: { "x-api-key": "$" + "{env:AKIMBO_TOKEN}" } } },
      }),
    },
    {
      name: "VS Code",
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
    {
      name: "Any other client",
      place: "Most take this form.",
      language: "json",
      text: json({
        mcpServers: { akimbo: { type: "http", url, headers: { "x-api-key": TOKEN } } },
      }),
    },
  ];
}

/** @param heading Markdown prefix such as `###` */
export const describeClients = (origin: string, heading: string): string =>
  agentClients(origin)
    .map(
      ({ name, place, language, text }) =>
        `${heading} ${name}\n\n${place}\n\n\`\`\`${language}\n${text}\n\`\`\``,
    )
    .join("\n\n");
