import type { Env } from "./deps.ts";
import { type Hosts, hostsOf, shortAddressOf } from "./doors/short-address.ts";
import { completeEnv } from "./durable/complete-env.ts";

export { DeliveryGate } from "./durable/delivery-gate.ts";
export { Heartbeat } from "./durable/heartbeat.ts";
export { Installation } from "./durable/installation.ts";
export { RateLimiter } from "./durable/rate-limiter.ts";
export { SandboxState } from "./sandbox/state.ts";

const loadDeps = () => import("./deps.ts");

async function openHttp() {
  const [{ createApp }, { createDeps }] = await Promise.all([import("./app.ts"), loadDeps()]);
  return createApp((c) => createDeps(c.env as Env, c.executionCtx));
}

let http: Awaited<ReturnType<typeof openHttp>> | null = null;
let short: typeof import("./doors/short.ts") | null = null;
let hosts: Hosts | null = null;

async function answerHttp(request: Request, env: Env, execution: ExecutionContext) {
  http ??= await openHttp();
  return http.fetch(request, env, execution);
}

async function openShort() {
  short ??= await import("./doors/short.ts");
  return short;
}

function answer(request: Request, env: Env, execution: ExecutionContext) {
  hosts ??= hostsOf(env);
  const address = shortAddressOf(request.url, hosts);
  if (!address) return answerHttp(request, env, execution);
  // Once loaded, the module answers without a promise.
  return short
    ? short.answerVisit(request, address, env, execution)
    : openShort().then((door) => door.answerVisit(request, address, env, execution));
}

export default {
  fetch(request: Request, env, execution) {
    const complete = completeEnv(env);
    if (!(complete instanceof Promise)) return answer(request, complete, execution);
    return complete.then(
      (ready) => answer(request, ready, execution),
      async (error: unknown) => (await import("./doors/unready.ts")).answerUnready(error),
    );
  },
  async queue(batch, env, execution) {
    const [{ consume }, { createDeps }] = await Promise.all([
      import("./queue/consumer.ts"),
      loadDeps(),
    ]);
    await consume(createDeps(await completeEnv(env), execution), batch);
  },
  async scheduled(event, env, execution) {
    const [{ runTick }, { createDeps }] = await Promise.all([import("./cron/tick.ts"), loadDeps()]);
    // A tick that was started by hand has no scheduled time.
    const { scheduledTime } = event as Partial<ScheduledController>;
    const at = scheduledTime === undefined ? undefined : new Date(scheduledTime);
    await runTick(createDeps(await completeEnv(env), execution), at);
  },
} satisfies ExportedHandler<Env>;
