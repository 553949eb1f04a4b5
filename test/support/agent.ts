import { type Harness, refuseLeak } from "./harness.ts";

/** A revision without sessions and handshakes: each message says all about itself. */
export const MODERN = "2026-07-28";
export const OLDER = ["2025-11-25", "2025-06-18"] as const;

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
type Body = any;

export interface AgentAnswer {
  status: number;
  headers: Headers;
  body: Body;
}

interface Message {
  token?: string | null;
  revision?: string;
  headers?: Record<string, string>;
  id?: number | string;
}

const CLIENT = { name: "a-test", version: "1.0.0" };

/** The message as a client of that revision sends it, written by hand from the specification. */
export function toMessage(method: string, params: object, { revision = MODERN, id = 1 }: Message) {
  if (revision !== MODERN) return { jsonrpc: "2.0", id, method, params };
  const meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } };
}

/** Sends one message to the agent endpoint. */
export async function send(
  harness: Pick<Harness, "request">,
  method: string,
  params: Record<string, unknown> = {},
  options: Message = {},
): Promise<AgentAnswer> {
  const { revision = MODERN, token, headers = {} } = options;
  const { name } = params as { name?: string };
  const routing =
    revision === MODERN ? { "Mcp-Method": method, ...(name ? { "Mcp-Name": name } : {}) } : {};
  const response = await harness.request("/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      ...routing,
      ...(token ? { "x-api-key": token } : {}),
      ...headers,
    },
    body: JSON.stringify(toMessage(method, params, options)),
  });
  const text = await response.text();
  refuseLeak(`${method} ${name ?? ""}`, text);
  return {
    status: response.status,
    headers: response.headers,
    body: text ? JSON.parse(text) : null,
  };
}

/** Calls a tool; its result. */
export async function callTool(
  harness: Pick<Harness, "request">,
  token: string,
  name: string,
  args: Record<string, unknown> = {},
  options: Message = {},
): Promise<Body> {
  const answer = await send(
    harness,
    "tools/call",
    { name, arguments: args },
    { ...options, token },
  );
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.result;
}
