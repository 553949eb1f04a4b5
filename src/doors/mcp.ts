import { isJsonContentType } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { AppError } from "../core/errors.ts";
import { listAccountsTool } from "../features/accounts/tools.ts";
import { suggestHashtagsTool } from "../features/analytics/tools.ts";
import { createCaller } from "../features/auth/caller.ts";
import { capabilitiesTool } from "../features/platforms/tools.ts";
import { reviewLinkTool } from "../features/review/tools.ts";
import { createPostTool, validatePostTool } from "../features/uploads/tools/create.ts";
import { listPostsTool, postStatusTool } from "../features/uploads/tools/read.ts";
import { bodyOf } from "../http/body.ts";
import { countCaller, holdUntilKnown, requireKnownCaller } from "../http/caller.ts";
import { type MakeDeps, prepareDoor } from "../http/door.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../http/env.ts";
import { answerAgent } from "../mcp/endpoint.ts";
import type { AnyTool } from "../mcp/tool.ts";

/** Spec is silent: an agent's message is text and addresses; files go by address. */
const MAX_BODY_BYTES = 1_000_000;

/** Source: JSON-RPC 2.0, "Error object". */
const [PARSE_ERROR, INVALID_REQUEST] = [-32_700, -32_600];

/** The tools of the agent endpoint, in the order in which they are listed. Source: spec, "Agent endpoint". */
const TOOLS: readonly AnyTool[] = [
  listAccountsTool,
  capabilitiesTool,
  createPostTool,
  postStatusTool,
  listPostsTool,
  suggestHashtagsTool,
  validatePostTool,
  reviewLinkTool,
];

/** Creates the app of the agent endpoint. */
export function createMcp(makeDeps: MakeDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  prepareDoor(app, makeDeps);
  app.use(requireKnownCaller);
  app.use(async (c, next) => {
    c.set("createCaller", createCaller);
    await next();
  });
  app.post("/mcp", async (c) => {
    refuseForeignPage(c);
    const ctx = await countCaller(c, null, "mcp");
    c.set("ctx", ctx);
    const answer = await answerMessage(c);
    await holdUntilKnown(c, ctx, null);
    return answer;
  });
  return app;
}

/** A page of another origin may not use the agents of whoever looks at it. @throws AppError FORBIDDEN */
function refuseForeignPage(c: AppContext): void {
  const origin = c.req.header("origin");
  if (origin === undefined || origin === publicOrigin(c.var.deps, c.req.url)) return;
  throw new AppError("FORBIDDEN", "Pages of other origins may not call the agent endpoint.");
}

/** @throws AppError UNSUPPORTED_MEDIA_TYPE, 413, and what the caller is refused with */
async function answerMessage(c: AppContext): Promise<Response> {
  const { ctx } = c.var;
  const { raw } = c.req;
  if (!isJsonContentType(c.req.header("content-type") ?? null)) {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", "Send JSON with Content-Type: application/json.");
  }
  const bytes = await bodyOf(raw).readAll(MAX_BODY_BYTES, () => ctx.read(null, []));
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return refuse(c, PARSE_ERROR, "The body is not valid JSON.");
  }
  if (Array.isArray(body)) {
    return refuse(
      c,
      INVALID_REQUEST,
      "Send one message per call; a list of messages is not taken.",
    );
  }
  const origin = publicOrigin(ctx, raw.url);
  // The body has been read: what is passed on are the address and the headers.
  const request = new Request(raw.url, { method: "POST", headers: raw.headers });
  return answerAgent({ ctx, origin }, TOOLS, request, body);
}

const refuse = (c: AppContext, code: number, message: string): Response =>
  c.json({ jsonrpc: "2.0", id: null, error: { code, message } }, 400);
