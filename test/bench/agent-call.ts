import type { Call } from "./load.ts";

const REVISION = "2026-07-28";
const TOOL = "list_accounts";

const META = Object.fromEntries(
  Object.entries({
    protocolVersion: REVISION,
    clientInfo: { name: "bench", version: "1" },
    clientCapabilities: {},
  }).map(([key, value]) => [`io.modelcontextprotocol/${key}`, value]),
);

/** A message to the agent endpoint: the list of tools, or a call of list_accounts. */
export function agentCall(method: "tools/list" | "tools/call", token: string): Call {
  const isCall = method === "tools/call";
  const params = { ...(isCall ? { name: TOOL, arguments: {} } : {}), _meta: META };
  return {
    method: "POST",
    path: "/mcp",
    headers: {
      ...{ "content-type": "application/json", accept: "application/json, text/event-stream" },
      ...{ "mcp-protocol-version": REVISION, "mcp-method": method, "x-api-key": token },
      ...(isCall ? { "mcp-name": TOOL } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    status: 200,
  };
}
