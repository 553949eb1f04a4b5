import { ok, type Result, refuse } from "../../core/result.ts";
import { pullTyped } from "../kit/files.ts";
import type { SandboxStore } from "../kit/store.ts";
import {
  type Container,
  type ContainerStatus,
  GraphContainers,
  statusOf,
} from "../meta/containers.ts";
import {
  type GraphCall,
  graphError,
  mediaError,
  pickRequested,
  requireSelf,
} from "../meta/graph.ts";
import { type Account, authenticate } from "./accounts.ts";
import { type ContainerFields, type ContainerKind, readContainerFields } from "./fields.ts";

export const containers = new GraphContainers<ContainerKind>("instagram", "178");

/** Source: Meta, "Content Publishing", rate limit. */
const CONTAINERS_PER_DAY = 400;

export type InstagramContainer = Container<ContainerKind>;

function requireAllowance(store: SandboxStore, account: Account): void {
  if (containers.countOfDay(store, account.userId) < CONTAINERS_PER_DAY) return;
  throw graphError(9, "(#9) Application request limit reached", { subcode: 2207042 });
}

function requireChildren(store: SandboxStore, account: Account, ids: string[]): void {
  for (const id of ids) {
    const child = containers.find(store, account.userId, id);
    if (child?.kind !== "child") {
      throw mediaError(24, 2207006, "The requested resource does not exist.");
    }
    if (statusOf(child) !== "FINISHED") {
      throw mediaError(9007, 2207027, "The media is not ready to be published. Wait a moment.");
    }
  }
}

/** Bytes. Source: Meta, "IG User Media", image, reel and story specifications. */
const MAX_IMAGE_BYTES = 8_000_000;
const MAX_VIDEO_BYTES = 300_000_000;
const MAX_STORY_VIDEO_BYTES = 100_000_000;

/** Source: Meta, "Error Codes", Instagram. */
const SUBCODES = {
  image: { unreachable: 2207052, too_large: 2207004, wrong_type: 2207005 },
  video: { unreachable: 2207052, too_large: 2207026, wrong_type: 2207026 },
};

/** @returns the stored file's id, or the failed container's subcode */
async function pullSource(
  { env }: GraphCall,
  { userId }: Account,
  { kind, source }: ContainerFields,
): Promise<Result<number | null, number>> {
  if (source === null) return ok(null);
  const maxVideo = kind === "story" ? MAX_STORY_VIDEO_BYTES : MAX_VIDEO_BYTES;
  const limits =
    source.kind === "video"
      ? { maxBytes: maxVideo, types: ["video/mp4", "video/quicktime"] }
      : { maxBytes: MAX_IMAGE_BYTES, types: ["image/jpeg"] };
  const pulled = await pullTyped(env, { platform: "instagram", owner: userId }, source.url, limits);
  return pulled.ok ? pulled : refuse(SUBCODES[source.kind][pulled.error]);
}

export async function createContainer(call: GraphCall): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(call, account);
  const fields = readContainerFields(call);
  requireChildren(call.env.store, account, fields.children);
  requireAllowance(call.env.store, account);
  const pulled = await pullSource(call, account, fields);
  const { kind, caption, children, received, source } = fields;
  const id = containers.save(
    call,
    account.userId,
    {
      kind,
      caption,
      children,
      received,
      file_id: pulled.ok ? pulled.value : null,
      error: pulled.ok ? null : `Error: Media upload has failed with error code ${pulled.error}`,
    },
    source?.kind === "video" ? "as_video" : "as_image",
  );
  return Response.json({ id });
}

const STATUS_TEXTS: Record<ContainerStatus, string> = {
  IN_PROGRESS: "In Progress: Media is still being processed.",
  FINISHED: "Finished: Media has been uploaded and it is ready to be published.",
  PUBLISHED: "Published: Media has been published.",
  ERROR: "Error: Media upload has failed.",
  EXPIRED: "Expired: Media was not published within 24 hours.",
};

export function readContainer(call: GraphCall, container: InstagramContainer): Response {
  const status = statusOf(container);
  const text = (status === "ERROR" && container.error) || STATUS_TEXTS[status];
  const object = { id: container.id, status_code: status, status: text };
  return Response.json(pickRequested(call, object, ["id"]));
}
