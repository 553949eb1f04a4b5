import { now } from "../../core/clock.ts";
import { HOUR, SECOND } from "../../core/time.ts";
import { randomDigits } from "../kit/ids.ts";
import { readSteering } from "../kit/steering.ts";
import type { SandboxStore } from "../kit/store.ts";
import { flag, integer, json, key, optional, type RowOf, Table, text } from "../kit/table.ts";
import { type GraphCall, invalidParameter } from "./graph.ts";

const IMAGE_MS = 1 * SECOND;
const VIDEO_MS = 3 * SECOND;
/** Source: Meta, "Content Publishing". */
const CONTAINER_LIFE_MS = 24 * HOUR;
/** Expired containers are reported for this long, then deleted. */
const REMEMBERED_MS = 7 * CONTAINER_LIFE_MS;

export type ContainerStatus = "IN_PROGRESS" | "FINISHED" | "PUBLISHED" | "ERROR" | "EXPIRED";

const tableOf = <Kind extends string>(name: string) =>
  new Table(
    name,
    {
      id: key(),
      user_id: text(),
      team_id: integer(),
      kind: text<Kind>(),
      caption: text(),
      children: json<string[]>(),
      received: json<Record<string, string>>(),
      file_id: optional(integer()),
      error: optional(text()),
      created_at: integer(),
      ready_at: integer(),
      published: flag(),
    },
    { indexes: { by_age: "created_at" } },
  );

export type Container<Kind extends string> = RowOf<ReturnType<typeof tableOf<Kind>>>;

type NewContainer<Kind extends string> = Pick<
  Container<Kind>,
  "kind" | "caption" | "children" | "received" | "file_id" | "error"
>;

const TAKES_MS = { no_time: 0, as_image: IMAGE_MS, as_video: VIDEO_MS };

export class GraphContainers<Kind extends string> {
  readonly table: ReturnType<typeof tableOf<Kind>>;
  readonly #idPrefix: string;

  constructor(platform: "instagram" | "threads", idPrefix: string) {
    this.table = tableOf(`${platform}_containers`);
    this.#idPrefix = idPrefix;
  }

  find(store: SandboxStore, userId: string, id: string): Container<Kind> | null {
    return this.table.find(store, { id, user_id: userId });
  }

  countOfDay(store: SandboxStore, userId: string): number {
    const from = now().getTime() - CONTAINER_LIFE_MS;
    return this.table.count(store, { user_id: userId }, "AND created_at > ?", from);
  }

  save(
    { env: { store, origin } }: GraphCall,
    userId: string,
    made: NewContainer<Kind>,
    takes: keyof typeof TAKES_MS,
  ): string {
    const at = now().getTime();
    const id = newGraphId(this.#idPrefix);
    const { slowSeconds } = readSteering(made.caption);
    this.table.delete(store, {}, "AND created_at < ?", at - REMEMBERED_MS);
    this.table.insert(store, {
      ...made,
      id,
      user_id: userId,
      team_id: origin.teamId,
      created_at: at,
      ready_at: at + Math.max(TAKES_MS[takes], slowSeconds * SECOND),
    });
    return id;
  }
}

export const isDropped = ({ published, created_at }: Container<string>): boolean =>
  published && now().getTime() >= created_at + CONTAINER_LIFE_MS;

export function statusOf({
  created_at,
  ready_at,
  published,
  error,
}: Container<string>): ContainerStatus {
  const at = now().getTime();
  if (published) return "PUBLISHED";
  if (at >= created_at + CONTAINER_LIFE_MS) return "EXPIRED";
  if (at < ready_at) return "IN_PROGRESS";
  return error === null ? "FINISHED" : "ERROR";
}

export const newGraphId = (prefix: string): string => prefix + randomDigits(17 - prefix.length);

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The short name in a post's address is its id in base 64. */
export function shortcodeOf(id: string): string {
  let code = "";
  for (let rest = BigInt(id); rest > 0n; rest >>= 6n) {
    code = ALPHABET.charAt(Number(rest & 63n)) + code;
  }
  return code;
}

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

export function readLimit({ var: { params } }: GraphCall): number {
  const text = params.get("limit") ?? String(DEFAULT_LIMIT);
  if (!/^\d{1,4}$/.test(text)) throw invalidParameter("Param limit must be an integer");
  return Math.min(Number(text), MAX_LIMIT);
}
