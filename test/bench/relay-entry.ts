/** Where the film of that size lies in storage. */
export const filmKey = (sizeBytes: number) => `media/1/${sizeBytes}`;

const PART_BYTES = 8 * 1_024 ** 2;

/** What one invocation of the queue consumer asked of others. */
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
 * Stands before the Worker and makes a film of the wished size in storage: a real one with free space
 * behind it, or reads it and does nothing else. A call stands for the cron trigger, and another tells what the queue consumer did since the
 * last time, invocation by invocation. The local queue delivers one batch at a time, so that all that is
 * asked of others in between belongs to it; the API has bindings of its own, which are not counted.
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

async function store(request, bucket) {
  const head = new Uint8Array(await request.arrayBuffer());
  const { searchParams } = new URL(request.url);
  const size = Number(searchParams.get("size"));
  const upload = await bucket.createMultipartUpload(searchParams.get("key"));
  const parts = [];
  for (let offset = 0; offset < size; offset += ${PART_BYTES}) {
    const part = new Uint8Array(Math.min(${PART_BYTES}, size - offset));
    if (offset === 0) part.set(head);
    parts.push(await upload.uploadPart(parts.length + 1, part));
  }
  await upload.complete(parts);
}

async function read(request, bucket) {
  const { searchParams } = new URL(request.url);
  const size = Number(searchParams.get("size"));
  const piece = Number(searchParams.get("piece"));
  for (let offset = 0; offset < size; offset += piece) {
    const range = { offset, length: Math.min(piece, size - offset) };
    const { body } = await bucket.get(searchParams.get("key"), { range });
    await body.pipeTo(new WritableStream());
  }
}

export default {
  ...worker,
  queue: async (batch, env, context) => {
    counted ??= {
      ...env,
      DB: tellDatabase(env.DB),
      MEDIA: tellCalls(env.MEDIA, "storageCalls"),
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
    else if (pathname === "/bench/read") await read(request, env.MEDIA);
    else await store(request, env.MEDIA);
    return new Response(null, { status: 204 });
  },
};`;
