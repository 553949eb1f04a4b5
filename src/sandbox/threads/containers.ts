import { ok, type Result, refuse } from "../../core/result.ts";
import { hasScope } from "../kit/codes.ts";
import { pullTyped } from "../kit/files.ts";
import { readSteering } from "../kit/steering.ts";
import type { SandboxStore } from "../kit/store.ts";
import { type Container, GraphContainers, statusOf } from "../meta/containers.ts";
import {
  type GraphCall,
  invalidParameter,
  mediaError,
  pickRequested,
  requireSelf,
} from "../meta/graph.ts";
import { type Account, authenticate, noPermission } from "./accounts.ts";
import {
  type ContainerFields,
  type ContainerKind,
  readContainerFields,
  unreachable,
} from "./fields.ts";
import { posts } from "./posts.ts";

export const containers = new GraphContainers<ContainerKind>("threads", "178");

type ThreadsContainer = Container<ContainerKind>;

export const notFound = (id: string) =>
  mediaError(24, 4279009, `The media with id ${id} cannot be found.`);

function requireChildren(store: SandboxStore, { userId }: Account, ids: string[]): void {
  for (const id of ids) {
    const child = containers.find(store, userId, id);
    if (child?.kind !== "child") throw notFound(id);
    if (statusOf(child) !== "FINISHED") {
      throw invalidParameter(`The child ${id} is not ready to be published.`);
    }
  }
}

/** Source: Threads API, "Create Replies" and "Reply Management", permissions. */
function requireParent(call: GraphCall, { userId, name }: Account, id: string | undefined): void {
  if (id === undefined) return;
  if (!hasScope(call, "threads", name, "threads_manage_replies")) throw noPermission();
  const parent = posts.find(call.env.store, { id });
  if (!parent) throw notFound(id);
  if (parent.user_id !== userId) throw noPermission();
}

/** Bytes. Source: Threads API, "Posts", media specifications. */
const MAX_IMAGE_BYTES = 8_000_000;
const MAX_VIDEO_BYTES = 1_000_000_000;
const TYPES = {
  image: ["image/jpeg", "image/png"],
  video: ["video/mp4", "video/quicktime"],
};

/**
 * @returns the stored file's id, or the failed container's `error_message`
 * @throws Refusal for an unreachable image
 */
async function pullSource(
  call: GraphCall,
  account: Account,
  { source }: ContainerFields,
): Promise<Result<number | null, string>> {
  if (source === null) return ok(null);
  const isVideo = source.kind === "video";
  const file = { platform: "threads", owner: account.userId } as const;
  const limits = {
    maxBytes: isVideo ? MAX_VIDEO_BYTES : MAX_IMAGE_BYTES,
    types: TYPES[source.kind],
  };
  const pulled = await pullTyped(call.env, file, source.url, limits);
  if (pulled.ok) return pulled;
  if (pulled.error !== "unreachable") {
    return refuse(isVideo ? "FAILED_PROCESSING_VIDEO" : "UNKNOWN");
  }
  if (isVideo) return refuse("FAILED_DOWNLOADING_VIDEO");
  throw unreachable();
}

const STEERED_ERRORS: Partial<Record<string, string>> = {
  media_invalid: "INVALID_DURATION",
  media_unreachable: "FAILED_DOWNLOADING_VIDEO",
};

const TAKES = { image: "as_image", video: "as_video" } as const;

function takenBy({ kind, source }: ContainerFields) {
  if (source) return TAKES[source.kind];
  return kind === "text" ? "no_time" : "as_image";
}

export async function createContainer(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(call, account);
  const fields = readContainerFields(call);
  requireChildren(call.env.store, account, fields.children);
  requireParent(call, account, fields.received.reply_to_id);
  const pulled = await pullSource(call, account, fields);
  const { kind, text, children, received } = fields;
  const steered = STEERED_ERRORS[readSteering(text).failure ?? ""] ?? null;
  const id = containers.save(
    call,
    account.userId,
    {
      kind,
      caption: text,
      children,
      received,
      file_id: pulled.ok ? pulled.value : null,
      error: pulled.ok ? steered : pulled.error,
    },
    takenBy(fields),
  );
  return Response.json({ id });
}

export function readContainer(call: GraphCall, container: ThreadsContainer): Response {
  const status = statusOf(container);
  const error = status === "ERROR" ? container.error : null;
  const object = { id: container.id, status, error_message: error ?? undefined };
  return Response.json(pickRequested(call, object, ["id"]));
}
