import type { SimulatedCall, Simulator } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import { readUserAccount, refreshTokens } from "./accounts.ts";
import { listBoards } from "./boards.ts";
import { type PinterestCall, PinterestError, toCall } from "./call.ts";
import { PINTEREST_MEDIA_SCHEMA, readMedia, registerMedia } from "./media.ts";
import { UPLOADS } from "./origins.ts";
import { createPin, listBoardPins, PINS_SCHEMA } from "./pins.ts";
import { receiveVideo } from "./uploads.ts";

type Answer = (call: PinterestCall, id: string) => Promise<Response>;

/** By path, whose group is an id, and verb. */
const ENDPOINTS: { path: RegExp; verbs: Partial<Record<string, Answer>> }[] = [
  { path: /^\/v5\/user_account$/, verbs: { GET: readUserAccount } },
  { path: /^\/v5\/oauth\/token$/, verbs: { POST: refreshTokens } },
  { path: /^\/v5\/boards$/, verbs: { GET: listBoards } },
  { path: /^\/v5\/boards\/(\d+)\/pins$/, verbs: { GET: listBoardPins } },
  { path: /^\/v5\/media$/, verbs: { POST: registerMedia } },
  { path: /^\/v5\/media\/(\d+)$/, verbs: { GET: readMedia } },
  { path: /^\/v5\/pins$/, verbs: { POST: createPin } },
];

function answer(call: PinterestCall): Promise<Response> {
  const { pathname } = call.url;
  const endpoint = ENDPOINTS.find(({ path }) => path.test(pathname));
  if (!endpoint) throw new PinterestError(404, 404, "API method not found.");
  const { method } = call.request;
  const handler = Object.hasOwn(endpoint.verbs, method) ? endpoint.verbs[method] : undefined;
  if (!handler) throw new PinterestError(405, 405, "Method not allowed.");
  return handler(call, endpoint.path.exec(pathname)?.[1] ?? "");
}

async function handle(simulated: SimulatedCall, store: SandboxStore): Promise<Response> {
  const call = toCall(simulated, store);
  try {
    return call.url.origin === UPLOADS ? await receiveVideo(call) : await answer(call);
  } catch (error) {
    if (error instanceof PinterestError) return error.toResponse();
    throw error;
  }
}

/** Pinterest's API for logins, boards, media and pins, and the storage that takes videos. */
export const pinterestSimulator: Simulator = {
  schema: [PINTEREST_MEDIA_SCHEMA, PINS_SCHEMA].join("\n"),
  handle,
};
