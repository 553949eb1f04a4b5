import type { SimulatedCall, Simulator } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";
import {
  listRoles,
  readOrganization,
  readOrganizations,
  readUserInfo,
  refreshToken,
  revokeToken,
} from "./accounts.ts";
import { ASSETS_SCHEMA, initializeFile, initializeVideo, type Kind, readAsset } from "./assets.ts";
import { invalidValue, type LinkedInCall, LinkedInError, requireVersion } from "./call.ts";
import { API, WWW } from "./origins.ts";
import { createPost, LINKEDIN_POSTS_SCHEMA, listPosts } from "./posts.ts";
import { finalizeVideo, putUpload } from "./uploads.ts";

const KINDS: Record<string, Kind> = { images: "image", videos: "video", documents: "document" };

const notFound = (path: string) =>
  new LinkedInError(404, "RESOURCE_NOT_FOUND", `No virtual resource found: ${path}`);

/** Calls under `/rest/` by verb and path; the action of a POST stands in its query. */
async function answerRest(call: LinkedInCall, path: string): Promise<Response> {
  requireVersion(call);
  const [resource = "", key, ...more] = path.split("/");
  if (more.length > 0) throw notFound(path);
  if (key?.includes(":")) throw invalidValue("The key is not encoded");
  const id = key === undefined ? null : decodeURIComponent(key);
  const verb = call.request.method;
  const action = call.url.searchParams.get("action");
  const kind = Object.hasOwn(KINDS, resource) ? KINDS[resource] : undefined;
  if (verb === "GET") {
    if (kind && id !== null) return readAsset(call, kind, id);
    if (resource === "organizationAcls" && id === null) return listRoles(call);
    if (resource === "organizations") {
      return id === null ? readOrganizations(call) : readOrganization(call, id);
    }
    if (resource === "posts" && id === null) return listPosts(call);
  }
  if (verb === "POST" && id === null) {
    if (kind === "video" && action === "initializeUpload") return initializeVideo(call);
    if (kind === "video" && action === "finalizeUpload") return finalizeVideo(call);
    if (kind && kind !== "video" && action === "initializeUpload") {
      return initializeFile(call, kind);
    }
    if (resource === "posts" && action === null) return createPost(call);
  }
  throw notFound(path);
}

function requireVerb({ request }: LinkedInCall, verb: string): void {
  if (request.method === verb) return;
  throw new LinkedInError(405, "METHOD_NOT_ALLOWED", `Unsupported method ${request.method}`);
}

async function answer(call: LinkedInCall): Promise<Response> {
  const { origin, pathname } = call.url;
  if (origin === WWW) {
    if (pathname.startsWith("/dms-uploads/")) {
      requireVerb(call, "PUT");
      return putUpload(call);
    }
    if (pathname === "/oauth/v2/accessToken" || pathname === "/oauth/v2/revoke") {
      requireVerb(call, "POST");
      return pathname.endsWith("revoke") ? revokeToken(call) : refreshToken(call);
    }
    throw notFound(pathname);
  }
  if (origin === API && pathname === "/v2/userinfo") {
    requireVerb(call, "GET");
    return readUserInfo(call);
  }
  const path = /^\/rest\/(.+)$/.exec(pathname)?.[1];
  if (path === undefined) throw notFound(pathname);
  return answerRest(call, path);
}

async function handle(call: SimulatedCall, store: SandboxStore): Promise<Response> {
  try {
    return await answer({ ...call, store });
  } catch (error) {
    if (error instanceof LinkedInError) return error.toResponse();
    if (error instanceof URIError) return invalidValue("The address is badly encoded").toResponse();
    throw error;
  }
}

/** LinkedIn's API for logins, pages, files and posts, and the server that takes the files. */
export const linkedinSimulator: Simulator = {
  schema: [ASSETS_SCHEMA, LINKEDIN_POSTS_SCHEMA].join("\n"),
  handle,
};
