import { isJsonContentType } from "@modelcontextprotocol/server";
import { AppError } from "../core/errors.ts";
import { isLoopback } from "../core/url-policy.ts";
import { createCaller } from "../features/auth/caller.ts";
import { bodyOf } from "../http/body.ts";
import { countCaller, holdUntilKnown, requireKnownCaller } from "../http/caller.ts";
import { createDoor, type MakeDeps } from "../http/door.ts";
import { type AppContext, publicOrigin } from "../http/env.ts";
import { renderError } from "../http/errors.ts";
import { answerAgent } from "../mcp/endpoint.ts";
import type { AnyTool } from "../mcp/tool.ts";
import { withClaimHint } from "./unclaimed.ts";

/** Spec is silent: an agent's message contains text and addresses but no files. */
const MAX_BODY_BYTES = 1_000_000;

/** Source: JSON-RPC 2.0, "Error object". */
const [PARSE_ERROR, INVALID_REQUEST] = [-32_700, -32_600];

const loadCreating = () => import("../features/compose/tools.ts");
const loadReading = () => import("../features/posts/tools.ts");

type Tools = Record<string, () => Promise<AnyTool>>;

/** Listed in this order. Source: spec, "Agent endpoint". */
const TOOLS: Tools = {
  list_accounts: async () => (await import("../features/accounts/tools.ts")).listAccountsTool,
  get_platform_capabilities: async () =>
    (await import("../features/platforms/tools.ts")).capabilitiesTool,
  find_mentions: async () => (await import("../features/logins/tools.ts")).findMentionsTool,
  create_post: async () => (await loadCreating()).createPostTool,
  get_post_status: async () => (await loadReading()).postStatusTool,
  list_recent_posts: async () => (await loadReading()).listPostsTool,
  suggest_hashtags: async () =>
    (await import("../features/analytics/tools.ts")).suggestHashtagsTool,
  validate_post: async () => (await loadCreating()).validatePostTool,
  update_post: async () => (await loadCreating()).updatePostTool,
  unpublish_post: async () => (await import("../features/unpublishing/tools.ts")).unpublishPostTool,
  create_review_link: async () => (await import("../features/review/tools.ts")).reviewLinkTool,
};

/** Listing tools needs all of them, a call only one. */
function loadTools(tools: Tools, message: unknown): Promise<AnyTool[]> {
  const { method, params } = Object(message) as { method?: unknown; params?: unknown };
  const { name } = Object(params) as { name?: unknown };
  const isNeeded = (tool: string) =>
    method === "tools/list" || (method === "tools/call" && tool === name);
  return Promise.all(
    Object.entries(tools).flatMap(([tool, load]) => (isNeeded(tool) ? [load()] : [])),
  );
}

export function createMcp(makeDeps: MakeDeps, tools = TOOLS) {
  const app = createDoor(makeDeps);
  app.onError(async (error, c) => {
    const { challenge } = await import("../features/oauth/caller.ts");
    await challenge(c, error);
    return renderError(await withClaimHint(error, c), c);
  });
  app.use(requireKnownCaller);
  app.use(async (c, next) => {
    c.set("createCaller", (deps, presented, admission) =>
      createCaller(deps, { ...presented, isAgent: true }, admission),
    );
    await next();
  });
  app.post("/mcp", async (c) => {
    refuseForeignPage(c);
    const ctx = await countCaller(c, null, "mcp");
    c.set("ctx", ctx);
    const answer = await answerMessage(c, tools);
    // An authenticated caller who lacks a tool's scope gets the refusal as the tool's result.
    if (!ctx.knownActor()) await holdUntilKnown(c, ctx, null);
    return answer;
  });
  return app;
}

/** A page of another origin could use its visitor's agent. @throws AppError FORBIDDEN */
function refuseForeignPage(c: AppContext): void {
  const origin = c.req.header("origin");
  if (origin === undefined || origin === ownOrigin(c)) return;
  throw new AppError("FORBIDDEN", "Pages of other origins may not call the agent endpoint.");
}

/**
 * Null when the origin cannot be trusted: with DNS rebinding, any name can lead to this machine by
 * http.
 */
function ownOrigin({ req, var: { deps } }: AppContext): string | null {
  if (deps.config.publicUrl) return deps.config.publicUrl;
  const { protocol, hostname, origin } = new URL(req.url);
  return protocol === "https:" || isLoopback(hostname) ? origin : null;
}

/** @throws AppError UNSUPPORTED_MEDIA_TYPE, 413 for a long message, or the caller's refusal */
async function answerMessage(c: AppContext, tools: Tools): Promise<Response> {
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
  const request = new Request(raw.url, { method: "POST", headers: raw.headers });
  const call = { ctx, origin, requestId: c.var.requestId };
  return answerAgent(call, await loadTools(tools, body), request, body);
}

const refuse = (c: AppContext, code: number, message: string): Response =>
  c.json({ jsonrpc: "2.0", id: null, error: { code, message } }, 400);
