import { env } from "cloudflare:workers";
import type { Platform } from "../../src/core/platforms.ts";
import type { Scope } from "../../src/core/scopes.ts";
import type { Role } from "../../src/deps.ts";
import { connectorOf } from "../../src/platforms/registry.ts";
import {
  type Answer,
  connectSandbox,
  createMember,
  createToken,
  Harness,
  joinTeam,
  type Member,
  START,
} from "./harness.ts";
import { loadOf } from "./load.ts";

/** Columns of an upload by their names in the database; what is left out stands by itself. */
export type Columns = Record<string, string | number | null>;

export interface Life {
  harness: Harness;
  member: Member;
  accountId: string;
  /** A post as it would be after a while; its id. */
  insert(columns?: Columns): Promise<number>;
  insertMany(list: Columns[]): Promise<number[]>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the row holds
  row(id: number): Promise<any>;
  events(): Promise<{ name: string; data: Record<string, unknown> }[]>;
  call(method: string, path: string, json?: unknown, token?: string): Promise<Answer>;
  /** A token of somebody else in the same team. */
  colleague(role: Role, scopes?: Scope[]): Promise<string>;
  /** Files of the team; their hashes. */
  storeFiles(count: number): Promise<string[]>;
}

let files = 0;
let posts = 0;

const groupOf = (status: unknown) => (status === "processing" ? "pending" : status);

/** Columns that follow from a post's status, unless the test sets others. */
function implied(status: unknown): Columns {
  const now = Date.now();
  if (status === "pending") return { due_at: now, woken_at: now };
  if (status === "processing") {
    return { due_at: now, woken_at: now, fence: 1, lease_until: now + 90_000, counted_at: now };
  }
  if (status === "completed") {
    const metadata = JSON.stringify({ videoId: "3k", shareUrl: null });
    return { fence: 1, uploaded_at: now, counted_at: now, metadata };
  }
  if (status !== "failed") return {};
  return { fence: 1, failed_at: now, failure_code: "unknown", error_message: "It broke." };
}

export async function beginLife(
  harness = new Harness(),
  platform: Platform = "bluesky",
): Promise<Life> {
  const settings = JSON.stringify(connectorOf(platform).settings.read({}).values);
  const member = await createMember();
  const accountId = await connectSandbox(harness, member, "Ada", platform);
  const { teamId, token } = member;

  const insertMany = async (list: Columns[]): Promise<number[]> => {
    const ids: number[] = [];
    for (let i = 0; i < list.length; i += 50) {
      const statements = list.slice(i, i + 50).map((columns) => {
        const status = columns.status ?? "pending";
        const row: Columns = {
          team_id: teamId,
          account_id: accountId,
          platform,
          created_by: member.userId,
          status,
          status_group: groupOf(status) as string,
          title: "Old title",
          // Two posts of one text would be duplicates.
          description: `Old text ${(++posts).toString(36)}`,
          settings,
          media: "[]",
          sort_at: Number(columns.scheduled_for ?? Date.now()),
          created_at: Date.now(),
          due_at: status === "scheduled" ? Number(columns.scheduled_for) : null,
          ...implied(status),
          ...columns,
        };
        const names = Object.keys(row);
        return env.DB.prepare(
          `INSERT INTO uploads (${names}) VALUES (${names.map(() => "?")}) RETURNING id`,
        ).bind(...Object.values(row));
      });
      const results = await env.DB.batch<{ id: number }>(statements);
      ids.push(...results.map(({ results: [row] }) => row?.id ?? 0));
    }
    return ids;
  };

  return {
    harness,
    member,
    accountId,
    insertMany,
    insert: async (columns = {}) => (await insertMany([columns]))[0] ?? 0,
    row: (id) => env.DB.prepare("SELECT * FROM uploads WHERE id = ?").bind(id).first(),
    events: async () => {
      const { results } = await env.DB.prepare(
        "SELECT name, data FROM events WHERE team_id = ? AND name LIKE 'upload.%' ORDER BY id",
      )
        .bind(teamId)
        .all<{ name: string; data: string }>();
      return results.map(({ name, data }) => ({ name, data: JSON.parse(data) }));
    },
    call: (method, path, json, as = token) =>
      harness.call(method, path, { token: as, ...(json === undefined ? {} : { json }) }),
    colleague: async (role, scopes = ["*"]) => {
      const { userId } = await createMember();
      await joinTeam(teamId, userId, role);
      return createToken(userId, { teamId, scopes });
    },
    storeFiles: async (count) => {
      const hashes = Array.from({ length: count }, () => (++files).toString(16).padStart(64, "f"));
      if (count === 0) return hashes;
      await env.DB.batch(
        hashes.map((sha256) =>
          env.DB.prepare(
            `INSERT INTO media (team_id, sha256, object_key, kind, mime, size_bytes, width, height, created_at)
             VALUES (?, ?, ?, 'image', 'image/png', 68, 1, 1, ?)`,
          ).bind(teamId, sha256, `media/${teamId}/${sha256.slice(-32)}`, START.getTime()),
        ),
      );
      return hashes;
    },
  };
}

export const mediaOf = (...hashes: string[]): string =>
  JSON.stringify(hashes.map((sha256) => ({ sha256, kind: "image" })));

export const later = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);

/** Few enough at once that neither a cap nor the queue of an account is full. */
const MAX_RACES_AT_ONCE = 50;

interface Raced<T> {
  outcome: T;
  // biome-ignore lint/suspicious/noExplicitAny: as in `Life`
  row: any;
  /** Names of the events about the post. */
  told: string[];
}

export const RACES = loadOf(8, 500);
const RACES_AT_ONCE = Math.min(RACES, MAX_RACES_AT_ONCE);

/**
 * Many races, each for a post of its own: what came of each, and how its post stands after it. `sent`
 * counts the messages that wake a post.
 */
export async function raceOften<T>(
  columns: (i: number) => Columns,
  race: (life: Life, id: number, i: number) => Promise<T>,
): Promise<{ raced: Raced<T>[]; sent: number }> {
  const raced: Raced<T>[] = [];
  const harness = new Harness();
  while (raced.length < RACES) {
    const life = await beginLife(harness);
    const numbers = Array.from({ length: RACES_AT_ONCE }, (_, i) => raced.length + i);
    const ids = await life.insertMany(numbers.map(columns));
    const outcomes = await Promise.all(ids.map((id, i) => race(life, id, numbers[i] ?? 0)));
    const { results } = await env.DB.prepare("SELECT * FROM uploads WHERE team_id = ? ORDER BY id")
      .bind(life.member.teamId)
      .all();
    const events = Map.groupBy(await life.events(), ({ data }) => data.uploadId);
    for (const [i, row] of results.entries()) {
      const told = (events.get(row.id) ?? []).map(({ name }) => name);
      raced.push({ outcome: outcomes[i] as T, row, told });
    }
  }
  return { raced, sent: harness.sent.length };
}

/** Lets others get ahead by some round trips. */
export async function lag(trips: number): Promise<void> {
  for (let i = 0; i < trips; i++) await env.DB.prepare("SELECT 1").first();
}
