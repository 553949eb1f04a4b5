import type { SimulatedCall, Simulator } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import {
  type GraphCall,
  GraphError,
  pickFields,
  readGraphCall,
  unsupported,
} from "../meta/graph.ts";
import { authenticate, getMe, logins } from "./accounts.ts";
import { containers, createContainer, readContainer } from "./containers.ts";
import { findMedia, INSTAGRAM_MEDIA_SCHEMA, listMedia } from "./media.ts";
import { publish, readPublishingLimit } from "./publish.ts";

/** What can be done at `/{id}/{edge}`. */
const EDGES: Record<
  string,
  Partial<Record<string, (call: GraphCall, id: string) => Promise<Response>>>
> = {
  media: {
    GET: (call, id) => listMedia(call, id, "media"),
    POST: createContainer,
  },
  stories: { GET: (call, id) => listMedia(call, id, "stories") },
  media_publish: { POST: publish },
  content_publishing_limit: { GET: readPublishingLimit },
};

/** A container or a post of the caller's. */
async function readNode(call: GraphCall, id: string): Promise<Response> {
  const { account } = await authenticate(call);
  const container = containers.find(call.store, account.userId, id);
  if (container) return readContainer(call, container);
  const media = findMedia(call.store, account, id);
  if (!media) throw unsupported("GET", id);
  return Response.json(pickFields(call, media, ["id"]));
}

/** An address may begin with a version; one without is of the oldest that lives. */
const PATH = /^(?:\/v\d+\.\d+)?\/([a-z0-9_]+)(?:\/([a-z_]+))?\/?$/;

async function answer(call: GraphCall): Promise<Response> {
  const [, node = "", edge] = PATH.exec(call.url.pathname) ?? [];
  const verb = call.request.method;
  if (edge !== undefined) {
    const handler = Object.hasOwn(EDGES, edge) ? EDGES[edge]?.[verb] : undefined;
    if (!handler) throw unsupported(verb, node);
    return handler(call, node);
  }
  if (verb !== "GET" || node === "") throw unsupported(verb, node);
  if (node === "me") return getMe(call);
  if (node === "access_token") return logins.exchange(call);
  if (node === "refresh_access_token") return logins.renew(call);
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

/** Instagram's API for professional accounts: containers, publishing, reads and tokens. */
export const instagramSimulator: Simulator = {
  schema: [containers.schema, INSTAGRAM_MEDIA_SCHEMA].join("\n"),
  handle,
};
