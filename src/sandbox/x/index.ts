import type { SimulatedCall, Simulator } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import { readMe, readUsersBy, refreshTokens, revokeToken } from "./accounts.ts";
import { notFound, TooLarge, type XCall, XError } from "./call.ts";
import { addSubtitles, saveMetadata, uploadWhole, X_MEDIA_SCHEMA } from "./media.ts";
import { SUBTITLES } from "./origins.ts";
import { createPost, deletePost, X_POSTS_SCHEMA } from "./posts.ts";
import { append, finalize, initialize, readStatus } from "./segments.ts";
import { serveSubtitles } from "./subtitle-files.ts";
import { listPosts } from "./timeline.ts";

type Endpoint = [
  verb: string,
  path: RegExp,
  answer: (call: XCall, id: string) => Promise<Response>,
];

const ENDPOINTS: Endpoint[] = [
  ["POST", /^\/2\/oauth2\/token$/, refreshTokens],
  ["POST", /^\/2\/oauth2\/revoke$/, revokeToken],
  ["GET", /^\/2\/users\/me$/, readMe],
  ["GET", /^\/2\/users\/by$/, readUsersBy],
  ["GET", /^\/2\/users\/(\d{1,19})\/tweets$/, listPosts],
  ["POST", /^\/2\/tweets$/, createPost],
  ["DELETE", /^\/2\/tweets\/(\d{1,19})$/, deletePost],
  ["POST", /^\/2\/media\/upload$/, uploadWhole],
  ["GET", /^\/2\/media\/upload$/, readStatus],
  ["POST", /^\/2\/media\/upload\/initialize$/, initialize],
  ["POST", /^\/2\/media\/upload\/(\d{1,19})\/append$/, append],
  ["POST", /^\/2\/media\/upload\/(\d{1,19})\/finalize$/, finalize],
  ["POST", /^\/2\/media\/metadata$/, saveMetadata],
  ["POST", /^\/2\/media\/subtitles$/, addSubtitles],
];

async function answer(call: XCall): Promise<Response> {
  if (call.url.origin === SUBTITLES) return serveSubtitles(call.url);
  const { method } = call.request;
  const { pathname } = call.url;
  const [, path, respond] =
    ENDPOINTS.find(([verb, path]) => verb === method && path.test(pathname)) ?? [];
  if (!path || !respond) throw notFound(`${method} ${pathname} is not known.`);
  return respond(call, path.exec(pathname)?.[1] ?? "");
}

async function handle(call: SimulatedCall, store: SandboxStore): Promise<Response> {
  try {
    return await answer({ ...call, store });
  } catch (error) {
    if (error instanceof XError || error instanceof TooLarge) return error.toResponse();
    throw error;
  }
}

/** X's API v2: logins, posts, timelines and media. */
export const xSimulator: Simulator = {
  schema: [X_MEDIA_SCHEMA, X_POSTS_SCHEMA].join("\n"),
  handle,
};
