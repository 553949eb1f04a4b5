import {
  type CreateMcpHandlerOptions,
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { createServer } from "./server.ts";
import type { AnyTool, Call } from "./tool.ts";

/** The server sends nothing after an answer, so subscriptions are refused. */
const ANSWERS: CreateMcpHandlerOptions = { legacy: "reject", maxSubscriptions: 0 };
const SUBSCRIBE = "subscriptions/listen";

/** Source: JSON-RPC 2.0, "Error object". */
const METHOD_NOT_FOUND = -32_601;

/**
 * @throws AppError when the caller is refused
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
export async function answerAgent(
  call: Call,
  tools: readonly AnyTool[],
  request: Request,
  body: unknown,
): Promise<Response> {
  let refusal: unknown = null;
  let isOpened = false;
  const open = () => {
    isOpened = true;
    return createServer(call, tools, (error) => {
      refusal = error;
    });
  };
  const answer = (await isLegacyRequest(request, body))
    ? await answerOlder(open(), request, body)
    : await createMcpHandler(open, ANSWERS).fetch(request, { parsedBody: body });
  if (refusal !== null) throw refusal;
  return isOpened ? (refuseSubscription(body) ?? answer) : answer;
}

/** The MCP library accepts subscriptions for every server. */
function refuseSubscription(body: unknown): Response | null {
  const { method, id } = Object(body) as { method?: unknown; id?: unknown };
  if (method !== SUBSCRIBE || id === undefined) return null;
  const error = { code: METHOD_NOT_FOUND, message: "Method not found" };
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
}

async function answerOlder(
  server: ReturnType<typeof createServer>,
  request: Request,
  parsedBody: unknown,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return transport.handleRequest(request, { parsedBody });
}
