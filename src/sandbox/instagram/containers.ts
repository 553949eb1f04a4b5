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
import { type ContainerKind, readContainerFields } from "./fields.ts";
import { pullSource } from "./pull.ts";

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
