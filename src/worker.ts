import { createApp } from "./app.ts";
import { runSchedule } from "./cron/schedule.ts";
import { createDeps, type Env } from "./deps.ts";
import { consume } from "./queue/consumer.ts";

export { Heartbeat } from "./durable/heartbeat.ts";
export { RateLimiter } from "./durable/rate-limiter.ts";
export { SandboxState } from "./sandbox/state.ts";

const app = createApp((c) => createDeps(c.env as Env, c.executionCtx));

export default {
  fetch: app.fetch,
  queue: (batch, env, execution) => consume(createDeps(env, execution), batch),
  scheduled: (_event, env, execution) => runSchedule(createDeps(env, execution)),
} satisfies ExportedHandler<Env>;
