import type { SimulatedCall, Simulator } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import {
  type GraphCall,
  GraphError,
  pickFields,
  readGraphCall,
  unsupported,
} from "../meta/graph.ts";
import { authenticate, logins, readProfile } from "./accounts.ts";
import { containers, createContainer, readContainer } from "./containers.ts";
import { findPost, listPosts, POSTS_SCHEMA } from "./posts.ts";
import { publish, readPublishingLimit } from "./publish.ts";

/** What can be done at `/{id}/{edge}`. */
const EDGES: Record<
  string,
  Partial<Record<string, (call: GraphCall, id: string) => Promise<Response>>>
> = {
  threads: { GET: listPosts, POST: createContainer },
  threads_publish: { POST: publish },
  threads_publishing_limit: { GET: readPublishingLimit },
};

/** The caller's profile, a container or a post of theirs. */
async function readNode(call: GraphCall, id: string): Promise<Response> {
  const { account } = await authenticate(call);
  if (id === "me" || id === account.userId) return readProfile(call, account);
  const container = containers.find(call.store, account.userId, id);
  if (container) return readContainer(call, container);
  const post = findPost(call.store, account, id);
  if (!post) throw unsupported("GET", id);
  return Response.json(pickFields(call, post, ["id"]));
}

const PATH = /^\/v1\.0\/([a-z0-9_]+)(?:\/([a-z_]+))?\/?$/;
/** Tokens are to be had with and without a version. */
const TOKEN_PATH = /^(?:\/v1\.0)?\/((?:refresh_)?access_token)\/?$/;

async function answer(call: GraphCall): Promise<Response> {
  const { pathname } = call.url;
  const verb = call.request.method;
  const tokens = TOKEN_PATH.exec(pathname)?.[1];
  if (tokens) {
    if (verb !== "GET") throw unsupported(verb, tokens);
    return tokens === "access_token" ? logins.exchange(call) : logins.renew(call);
  }
  const [, node = "", edge] = PATH.exec(pathname) ?? [];
  if (node === "") throw new GraphError(2500, `Unknown path components: ${pathname}`);
  if (edge !== undefined) {
    const handler = Object.hasOwn(EDGES, edge) ? EDGES[edge]?.[verb] : undefined;
    if (!handler) throw unsupported(verb, node);
    return handler(call, node);
  }
  if (verb !== "GET") throw unsupported(verb, node);
  return readNode(call, node);
}

async function handle(call: SimulatedCall, store: SandboxStore): Promise<Response> {
  try {
    return await answer(await readGraphCall(call, store));
  } catch (error) {
    if (error instanceof GraphError) return error.toResponse();
    throw error;
  }
}

/** The Threads API: containers, publishing, reads and tokens. */
export const threadsSimulator: Simulator = {
  schema: [containers.schema, POSTS_SCHEMA].join("\n"),
  handle,
};
