import {
  type CreateMcpHandlerOptions,
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { createServer } from "./server.ts";
import type { AnyTool, Call } from "./tool.ts";

/** One answer per message: nothing is told in between or afterwards, so that there is nothing to subscribe to. */
const ANSWERS: CreateMcpHandlerOptions = { legacy: "reject", maxSubscriptions: 0 };

/**
 * Answers one message of an agent, in JSON and without a session, whichever revision it speaks.
 *
 * @param body the message, parsed
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
  const open = () =>
    createServer(call, tools, (error) => {
      refusal = error;
    });
  const answer = (await isLegacyRequest(request, body))
    ? await answerOlder(open(), request, body)
    : await createMcpHandler(open, ANSWERS).fetch(request, { parsedBody: body });
  if (refusal !== null) throw refusal;
  return answer;
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
