import { ConfigError, configOf } from "../config.ts";
import type { Env } from "../deps.ts";
import { ClickLog } from "../features/links/click-log.ts";
import { type RedirectDeps, redirect } from "../features/links/redirect.ts";
import type { Place } from "../features/links/repo/places.ts";

/** Parts that stay the same from visit to visit. */
type Kept = Omit<RedirectDeps, "waitUntil">;

const keptByEnv = new WeakMap<object, Kept>();

function keptOf(env: Env): Kept {
  const known = keptByEnv.get(env);
  if (known) return known;
  const config = configOf(env);
  const log = (entry: object) => console.log(JSON.stringify(entry));
  const clicks = {
    queue: env.WEBHOOKS,
    database: env.DB,
    wait: (ms: number) => scheduler.wait(ms),
    log,
  };
  const kept = { config, database: env.DB, clicks, clickLog: new ClickLog() };
  keptByEnv.set(env, kept);
  return kept;
}

/** Answers a visit of a short link. It loads nothing of the API. */
export function answerVisit(
  request: Request,
  place: Place,
  env: Env,
  execution: Pick<ExecutionContext, "waitUntil">,
): Response | Promise<Response> {
  try {
    const kept = keptOf(env);
    const waitUntil = (work: Promise<unknown>) => execution.waitUntil(work);
    const answer = redirect(request, place, { ...kept, waitUntil });
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
