import { now } from "../../core/clock.ts";
import { randomHex } from "../../core/ids.ts";
import { HOUR, SECOND } from "../../core/time.ts";
import { type GraphCall, GraphError, mediaError, pickFields, unsupported } from "../meta-graph.ts";
import { readSteering } from "../steering.ts";
import type { SandboxStore } from "../store.ts";
import { type Account, authenticate } from "./accounts.ts";
import { type ContainerFields, type ContainerKind, readContainerFields } from "./fields.ts";
import { pullSource } from "./pull.ts";

export const CONTAINERS_SCHEMA = `
CREATE TABLE IF NOT EXISTS instagram_containers (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  team_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  caption TEXT NOT NULL,
  children TEXT NOT NULL,
  received TEXT NOT NULL,
  file_id INTEGER,
  error TEXT,
  created_at INTEGER NOT NULL,
  ready_at INTEGER NOT NULL,
  published INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS instagram_containers_by_age ON instagram_containers (created_at);
`;

/** How long a container takes. Videos take longer than images, as they do there. */
const IMAGE_MS = 1 * SECOND;
const VIDEO_MS = 3 * SECOND;
/** Source: platform notes, "Limits". */
const CONTAINER_LIFE_MS = 24 * HOUR;
const CONTAINERS_PER_DAY = 400;
/** How long one that has expired is remembered as such. */
const REMEMBERED_MS = 7 * CONTAINER_LIFE_MS;

export interface Container {
  id: string;
  userId: string;
  kind: ContainerKind;
  caption: string;
  children: string[];
  received: Record<string, string>;
  /** Of the pulled file; null for a carousel, and where there is an error. */
  fileId: number | null;
  /** Why its media cannot be published, with the subcode. */
  error: string | null;
  createdAt: number;
  readyAt: number;
  isPublished: boolean;
}

type Row = {
  id: string;
  user_id: string;
  kind: ContainerKind;
  caption: string;
  children: string;
  received: string;
  file_id: number | null;
  error: string | null;
  created_at: number;
  ready_at: number;
  published: number;
};

const toContainer = (row: Row): Container => ({
  id: row.id,
  userId: row.user_id,
  kind: row.kind,
  caption: row.caption,
  children: JSON.parse(row.children),
  received: JSON.parse(row.received),
  fileId: row.file_id,
  error: row.error,
  createdAt: row.created_at,
  readyAt: row.ready_at,
  isPublished: row.published === 1,
});

/** A container of the account, or null: others are not to be seen. */
export function findContainer(store: SandboxStore, account: Account, id: string): Container | null {
  const [row] = store.sql
    .exec<Row>(
      `SELECT id, user_id, kind, caption, children, received, file_id, error, created_at, ready_at,
         published
       FROM instagram_containers WHERE id = ? AND user_id = ?`,
      id,
      account.userId,
    )
    .toArray();
  return row ? toContainer(row) : null;
}

export type Status = "IN_PROGRESS" | "FINISHED" | "PUBLISHED" | "ERROR" | "EXPIRED";

export function statusOf(container: Container): Status {
  const at = now().getTime();
  if (container.isPublished) return "PUBLISHED";
  if (at >= container.createdAt + CONTAINER_LIFE_MS) return "EXPIRED";
  if (at < container.readyAt) return "IN_PROGRESS";
  return container.error === null ? "FINISHED" : "ERROR";
}

/** An id of 17 digits, as numbers are given out there; `prefix` tells what it is of. */
export const newId = (prefix: string): string =>
  prefix +
  String(BigInt(`0x${randomHex(8)}`))
    .padStart(20, "0")
    .slice(-(17 - prefix.length));

/** A path may name the account by its id, or as `me`. */
export function requireSelf(account: Account, id: string, verb: string): void {
  if (id !== account.userId && id !== "me") throw unsupported(verb, id);
}

function requireAllowance(store: SandboxStore, account: Account, at: number): void {
  const { count } = store.sql
    .exec<{ count: number }>(
      "SELECT count(*) AS count FROM instagram_containers WHERE user_id = ? AND created_at > ?",
      account.userId,
      at - CONTAINER_LIFE_MS,
    )
    .one();
  if (count < CONTAINERS_PER_DAY) return;
  throw new GraphError(9, "(#9) Application request limit reached", { subcode: 2207042 });
}

/** The items of a carousel have to be ready items of the same account. */
function requireChildren(store: SandboxStore, account: Account, ids: string[]): void {
  for (const id of ids) {
    const child = findContainer(store, account, id);
    if (child?.kind !== "child") {
      throw mediaError(24, 2207006, "The requested resource does not exist.");
    }
    if (statusOf(child) !== "FINISHED") {
      throw mediaError(9007, 2207027, "The media is not ready to be published. Wait a moment.");
    }
  }
}

export async function createContainer(call: GraphCall, userId: string): Promise<Response> {
  const { account } = await authenticate(call);
  requireSelf(account, userId, "POST");
  const fields = readContainerFields(call);
  requireChildren(call.store, account, fields.children);
  requireAllowance(call.store, account, now().getTime());
  const pulled = await pullSource(call, account, fields);
  const error = pulled.ok ? null : pulled.error;
  const id = saveContainer(call, account, fields, {
    fileId: pulled.ok ? pulled.value : null,
    error: error && `Error: Media upload has failed with error code ${error.details.subcode}`,
  });
  return Response.json({ id });
}

function saveContainer(
  call: GraphCall,
  account: Account,
  fields: ContainerFields,
  outcome: { fileId: number | null; error: string | null },
): string {
  const at = now().getTime();
  const id = newId("178");
  const { slowSeconds } = readSteering(fields.caption);
  const ownMs = fields.source?.kind === "video" ? VIDEO_MS : IMAGE_MS;
  const takesMs = Math.max(ownMs, slowSeconds * SECOND);
  const { sql } = call.store;
  sql.exec("DELETE FROM instagram_containers WHERE created_at < ?", at - REMEMBERED_MS);
  sql.exec(
    `INSERT INTO instagram_containers (id, user_id, team_id, kind, caption, children, received,
       file_id, error, created_at, ready_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    account.userId,
    call.origin.teamId,
    fields.kind,
    fields.caption,
    JSON.stringify(fields.children),
    JSON.stringify(fields.received),
    outcome.fileId,
    outcome.error,
    at,
    at + takesMs,
  );
  return id;
}

const STATUS_TEXTS: Record<Status, string> = {
  IN_PROGRESS: "In Progress: Media is still being processed.",
  FINISHED: "Finished: Media has been uploaded and it is ready to be published.",
  PUBLISHED: "Published: Media has been published.",
  ERROR: "Error: Media upload has failed.",
  EXPIRED: "Expired: Media was not published within 24 hours.",
};

export function readContainer(call: GraphCall, container: Container): Response {
  const status = statusOf(container);
  const text = (status === "ERROR" && container.error) || STATUS_TEXTS[status];
  const object = { id: container.id, status_code: status, status: text };
  return Response.json(pickFields(call, object, ["id"]));
}
