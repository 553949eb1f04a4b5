import { now } from "../../core/clock.ts";
import { HOUR, SECOND } from "../../core/time.ts";
import { randomDigits } from "../kit/ids.ts";
import { readSteering } from "../kit/steering.ts";
import type { SandboxStore } from "../kit/store.ts";
import { type GraphCall, invalidParameter } from "./graph.ts";

/** Simulated processing time of a container, in ms. Videos take longer than images, as they do there. */
const IMAGE_MS = 1 * SECOND;
const VIDEO_MS = 3 * SECOND;
/** Source: Meta, "Content Publishing". */
const CONTAINER_LIFE_MS = 24 * HOUR;
/** Time for which an expired container is remembered as such. */
const REMEMBERED_MS = 7 * CONTAINER_LIFE_MS;

export type ContainerStatus = "IN_PROGRESS" | "FINISHED" | "PUBLISHED" | "ERROR" | "EXPIRED";

/** The content of a container. */
interface NewContainer<Kind extends string> {
  kind: Kind;
  /** The text of the post, steering words included. */
  text: string;
  children: string[];
  received: Record<string, string>;
  /** The pulled file; null where there is none, or an error. */
  fileId: number | null;
  /** Why it cannot be published. */
  error: string | null;
  takes: "no_time" | "as_image" | "as_video";
}

export interface Container<Kind extends string> extends Omit<NewContainer<Kind>, "takes"> {
  id: string;
  userId: string;
  createdAt: number;
  readyAt: number;
  isPublished: boolean;
}

type Row<Kind extends string> = {
  id: string;
  user_id: string;
  kind: Kind;
  caption: string;
  children: string;
  received: string;
  file_id: number | null;
  error: string | null;
  created_at: number;
  ready_at: number;
  published: number;
};

/** The containers of one of Meta's simulated platforms, in a table of its own. */
export class GraphContainers<Kind extends string> {
  readonly schema: string;
  readonly #table: string;
  readonly #idPrefix: string;
  readonly #takesMs: Record<NewContainer<Kind>["takes"], number> = {
    no_time: 0,
    as_image: IMAGE_MS,
    as_video: VIDEO_MS,
  };

  /** @param platform as tables are prefixed */
  constructor(platform: "instagram" | "threads", idPrefix: string) {
    this.#table = `${platform}_containers`;
    this.#idPrefix = idPrefix;
    this.schema = `
CREATE TABLE IF NOT EXISTS ${this.#table} (
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
CREATE INDEX IF NOT EXISTS ${this.#table}_by_age ON ${this.#table} (created_at);
`;
  }

  /** A container of the account, or null: others are not to be seen. */
  find(store: SandboxStore, userId: string, id: string): Container<Kind> | null {
    const row = store.find<Row<Kind>>(this.#table, { id, user_id: userId });
    if (!row) return null;
    return {
      id: row.id,
      userId: row.user_id,
      kind: row.kind,
      text: row.caption,
      children: JSON.parse(row.children),
      received: JSON.parse(row.received),
      fileId: row.file_id,
      error: row.error,
      createdAt: row.created_at,
      readyAt: row.ready_at,
      isPublished: row.published === 1,
    };
  }

  /** The number of containers that an account made in the last 24 hours. */
  countOfDay({ sql }: SandboxStore, userId: string): number {
    return sql
      .exec<{ count: number }>(
        `SELECT count(*) AS count FROM ${this.#table} WHERE user_id = ? AND created_at > ?`,
        userId,
        now().getTime() - CONTAINER_LIFE_MS,
      )
      .one().count;
  }

  /** @returns the id of the new container */
  save({ env: { store, origin } }: GraphCall, userId: string, made: NewContainer<Kind>): string {
    const at = now().getTime();
    const id = newGraphId(this.#idPrefix);
    const { slowSeconds } = readSteering(made.text);
    const takesMs = Math.max(this.#takesMs[made.takes], slowSeconds * SECOND);
    store.sql.exec(`DELETE FROM ${this.#table} WHERE created_at < ?`, at - REMEMBERED_MS);
    store.insert(this.#table, {
      id,
      user_id: userId,
      team_id: origin.teamId,
      kind: made.kind,
      caption: made.text,
      children: JSON.stringify(made.children),
      received: JSON.stringify(made.received),
      file_id: made.fileId,
      error: made.error,
      created_at: at,
      ready_at: at + takesMs,
    });
    return id;
  }

  markPublished(store: SandboxStore, id: string): void {
    store.update(this.#table, { id }, { published: 1 });
  }
}

export function statusOf(
  container: Pick<Container<string>, "createdAt" | "readyAt" | "isPublished" | "error">,
): ContainerStatus {
  const at = now().getTime();
  if (container.isPublished) return "PUBLISHED";
  if (at >= container.createdAt + CONTAINER_LIFE_MS) return "EXPIRED";
  if (at < container.readyAt) return "IN_PROGRESS";
  return container.error === null ? "FINISHED" : "ERROR";
}

/** An id of 17 digits, as numbers are given out there; `prefix` tells what it is of. */
export const newGraphId = (prefix: string): string => prefix + randomDigits(17 - prefix.length);

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The short name of a post in its address: its id in base 64. */
export function shortcodeOf(id: string): string {
  let code = "";
  for (let rest = BigInt(id); rest > 0n; rest >>= 6n) {
    code = ALPHABET.charAt(Number(rest & 63n)) + code;
  }
  return code;
}

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

/** The page size that the call asks for. */
export function readLimit({ var: { params } }: GraphCall): number {
  const text = params.get("limit") ?? String(DEFAULT_LIMIT);
  if (!/^\d{1,4}$/.test(text)) throw invalidParameter("Param limit must be an integer");
  return Math.min(Number(text), MAX_LIMIT);
}
