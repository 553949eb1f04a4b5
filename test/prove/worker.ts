import { createDeps, type Env } from "../../src/deps.ts";
import worker from "../../src/worker.ts";
import { readDatabase } from "./evidence.ts";
import { createTeam } from "./team.ts";
import type { WatchedSandbox } from "./watched-sandbox.ts";
import { World } from "./world.ts";
import type { WorldOptions } from "./world-options.ts";

export { DeliveryGate, Heartbeat, Installation, RateLimiter } from "../../src/worker.ts";
export { WatchedSandbox as SandboxState } from "./watched-sandbox.ts";

const execution = { waitUntil: (work: Promise<unknown>) => void work } as ExecutionContext;

let statements = 0;
const counted = new WeakMap<Env, Env>();

/** The same bindings, every statement for the database counted. */
function countStatements(env: Env): Env {
  const known = counted.get(env);
  if (known) return known;
  const DB = new Proxy(env.DB, {
    get(database, name) {
      if (name === "prepare") statements++;
      const value = Reflect.get(database, name);
      return typeof value === "function" ? value.bind(database) : value;
    },
  });
  const fresh = { ...env, DB };
  counted.set(env, fresh);
  return fresh;
}

/** Akimbo as it is, with a few doors for the harness alone. */
export default {
  ...worker,
  async fetch(request: Request, env: Env, context: ExecutionContext) {
    switch (new URL(request.url).pathname) {
      case "/prove/world": {
        const world = new World(env, (await request.json()) as WorldOptions);
        return Response.json(await world.play());
      }
      case "/prove/team":
        await createTeam(createDeps(env));
        return Response.json({});
      case "/prove/tick":
        await worker.scheduled({} as ScheduledController, env, execution);
        return Response.json({});
      case "/prove/objects": {
        const { objects } = await createDeps(env).media.list({ prefix: "media/" });
        return Response.json({ keys: objects.map(({ key }) => key) });
      }
      case "/prove/database":
        return Response.json(await readDatabase(createDeps(env).db));
      case "/prove/losses": {
        const sandbox = env.SANDBOX_STATE as DurableObjectNamespace<WatchedSandbox>;
        return Response.json({ lost: await sandbox.getByName("sandbox").countLost() });
      }
      case "/prove/statements":
        return Response.json({ count: statements });
      default:
        return worker.fetch(request, countStatements(env), context);
    }
  },
} satisfies ExportedHandler<Env>;
