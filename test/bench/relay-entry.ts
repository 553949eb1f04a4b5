/** Where the film of that size lies in storage. */
export const filmKey = (sizeBytes: number) => `film/${sizeBytes}`;

/** Calls made by one invocation of the queue consumer. */
export interface Invocation {
  /** Calls to the platform. */
  fetches: number;
  storageCalls: number;
  roundTrips: number;
  /** The statements of these round trips. */
  queries: number;
  messagesSent: number;
}

/** Everything that a Worker has a limited number of in one invocation. */
export const subrequestsOf = ({ fetches, storageCalls, roundTrips, messagesSent }: Invocation) =>
  fetches + storageCalls + roundTrips + messagesSent;

/**
 * Stands before the Worker and lends its storage the film, which a server elsewhere holds: the simulated
 * storage is a part of the process and takes more memory than all that is measured here. A call stands for
 * the cron trigger, one passes the film on with none of our code, and one tells what the queue consumer did
 * since the last time, invocation by invocation. The local queue delivers one batch at a time, so that all
 * that is asked of others in between belongs to it; the API has bindings of its own, which are not counted.
 */
export const ENTRY = `
import worker from "./worker.js";
export * from "./worker.js";

let invocations = [];
let current = null;
const count = (what, by = 1) => { if (current) current[what] += by; };

const network = globalThis.fetch;
globalThis.fetch = (...call) => { count("fetches"); return network(...call); };

const tellCalls = (target, what) => new Proxy(target, {
  get(object, name) {
    const value = Reflect.get(object, name);
    if (typeof value !== "function") return value;
    return (...call) => { count(what); return value.apply(object, call); };
  },
});
const tellStatement = (real) => ({
  real,
  bind: (...values) => tellStatement(real.bind(...values)),
  run: () => { count("roundTrips"); count("queries"); return real.run(); },
});
const tellDatabase = (database) => ({
  prepare: (sql) => tellStatement(database.prepare(sql)),
  batch: (statements) => {
    count("roundTrips");
    count("queries", statements.length);
    return database.batch(statements.map(({ real }) => real));
  },
});
let counted;

const withFilm = (bucket, films) => ({
  head: (...call) => bucket.head(...call),
  put: (...call) => bucket.put(...call),
  delete: (...call) => bucket.delete(...call),
  async get(key, options) {
    if (!key.startsWith("film/")) return bucket.get(key, options);
    const { offset, length } = options.range;
    const headers = { range: "bytes=" + offset + "-" + (offset + length - 1) };
    return network(films + "/" + key, { headers });
  },
});

async function passOn({ url }, env) {
  const bucket = withFilm(env.MEDIA, env.FILMS);
  const { searchParams } = new URL(url);
  const [size, piece, from, to, roundTrips] = ["size", "piece", "from", "to", "roundTrips"].map(
    (name) => Number(searchParams.get(name)),
  );
  for (let offset = from; offset < Math.min(to, size); offset += piece) {
    const range = { offset, length: Math.min(piece, size - offset) };
    const { body } = await bucket.get(searchParams.get("key"), { range });
    const sized = body.pipeThrough(new FixedLengthStream(range.length));
    const answer = await network(env.FILMS, { method: "PUT", body: sized });
    await answer.arrayBuffer();
    for (let i = 0; i < roundTrips; i += 1) await env.DB.prepare("SELECT 1").run();
  }
}

export default {
  ...worker,
  queue: async (batch, env, context) => {
    counted ??= {
      ...env,
      DB: tellDatabase(env.DB),
      MEDIA: tellCalls(withFilm(env.MEDIA, env.FILMS), "storageCalls"),
      PUBLISH: tellCalls(env.PUBLISH, "messagesSent"),
    };
    current = { fetches: 0, storageCalls: 0, roundTrips: 0, queries: 0, messagesSent: 0 };
    invocations.push(current);
    await worker.queue(batch, counted, context);
    current = null;
  },
  fetch: async (request, env, context) => {
    const { pathname } = new URL(request.url);
    if (!pathname.startsWith("/bench/")) return worker.fetch(request, env, context);
    if (pathname === "/bench/invocations") return Response.json(invocations.splice(0));
    if (pathname === "/bench/tick") await worker.scheduled({ cron: "* * * * *" }, env, context);
    else await passOn(request, env);
    return new Response(null, { status: 204 });
  },
};`;
