import { ConfigError, configOf } from "../config.ts";
import type { LinkAddress } from "../core/link-address.ts";
import type { Env } from "../deps.ts";
import { ClickLog, type RedirectDeps, redirect } from "../features/links/redirect.ts";

type VisitContext = Omit<RedirectDeps, "waitUntil">;

const contextByEnv = new WeakMap<object, VisitContext>();

function contextOf(env: Env): VisitContext {
  const existing = contextByEnv.get(env);
  if (existing) return existing;
  const config = configOf(env);
  const log = (entry: object) => console.log(JSON.stringify(entry));
  const clicks = {
    queue: env.WEBHOOKS ?? null,
    database: env.DB,
    wait: (ms: number) => scheduler.wait(ms),
    log,
  };
  const context = { config, database: env.DB, clicks, clickLog: new ClickLog() };
  contextByEnv.set(env, context);
  return context;
}

/** Answers without loading any part of the API. */
export function answerVisit(
  request: Request,
  address: LinkAddress,
  env: Env,
  execution: Pick<ExecutionContext, "waitUntil">,
): Response | Promise<Response> {
  try {
    const context = contextOf(env);
    const waitUntil = (work: Promise<unknown>) => execution.waitUntil(work);
    const answer = redirect(request, address, { ...context, waitUntil });
    return answer instanceof Promise ? answer.catch(apologise) : answer;
  } catch (error) {
    return apologise(error);
  }
}

function apologise(error: unknown): Response {
  const isConfig = error instanceof ConfigError;
  console.log(JSON.stringify({ event: "visit.failed", error: String(error) }));
  const text = isConfig ? error.message : "This link cannot be opened at the moment. Try again.";
  const headers = { "Cache-Control": "no-store", "Retry-After": "5" };
  return new Response(text, { status: 503, headers });
}
