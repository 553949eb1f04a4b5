import { createHash, createHmac } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Account } from "./account.ts";
import type { Cloud } from "./api.ts";

/**
 * D1 can be restored to any second of the last days. Here it can be restored to the moments at which a bookmark was
 * asked for: each is a copy of the database's file.
 */

const UNIQUE_KEY = "miniflare-D1DatabaseObject";

/** The runtime names the file of a Durable Object by a hash of its class and name. */
function objectId(name: string): string {
  const key = createHash("sha256").update(UNIQUE_KEY).digest();
  const head = createHmac("sha256", key).update(name).digest().subarray(0, 16);
  const tail = createHmac("sha256", key).update(head).digest().subarray(0, 16);
  return Buffer.concat([head, tail]).toString("hex");
}

const databasePath = (account: Account, uuid: string): string =>
  join(account.folder, "state", "d1", UNIQUE_KEY, `${objectId(uuid)}.sqlite`);

function bookmarkFolder(account: Account, uuid: string): string {
  const folder = join(account.folder, "bookmarks", uuid);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const SUFFIX = ".sqlite";

const DAY_MS = 86_400_000;

const timeOf = (bookmark: string): number => Number.parseInt(bookmark, 16);

/** Those that the account's plan can still restore, the oldest first. */
export function bookmarksSince(account: Account, uuid: string, now = Date.now()): string[] {
  const oldest = now - account.limit("timeTravelDays") * DAY_MS;
  return readdirSync(bookmarkFolder(account, uuid))
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length))
    .filter((bookmark) => timeOf(bookmark) >= oldest)
    .sort();
}

export const toBookmark = (at: Date, serial: number): string =>
  `${at.getTime().toString(16).padStart(16, "0")}-${serial.toString(16).padStart(8, "0")}`;

export const newestBookmark = (account: Account, uuid: string, at: Date): string | null =>
  bookmarksSince(account, uuid)
    .filter((bookmark) => timeOf(bookmark) <= at.getTime())
    .at(-1) ?? null;

export async function takeBookmark({ account, runner }: Cloud, uuid: string): Promise<string> {
  // The file is there once the database was used.
  await runner.query(uuid, [{ sql: "SELECT 1" }]);
  const bookmark = toBookmark(new Date(), bookmarksSince(account, uuid).length);
  const database = new DatabaseSync(databasePath(account, uuid), { readOnly: true });
  try {
    database.prepare("VACUUM INTO ?").run(join(bookmarkFolder(account, uuid), bookmark + SUFFIX));
  } finally {
    database.close();
  }
  return bookmark;
}

/** Returns a bookmark of the state before, by which the restore can be undone. */
export async function restoreBookmark(
  cloud: Cloud,
  uuid: string,
  bookmark: string,
): Promise<string> {
  const { account, runner } = cloud;
  const previous = await takeBookmark(cloud, uuid);
  await runner.whileStopped(() => {
    const path = databasePath(account, uuid);
    for (const suffix of ["-wal", "-shm"]) {
      if (existsSync(path + suffix)) rmSync(path + suffix);
    }
    copyFileSync(join(bookmarkFolder(account, uuid), bookmark + SUFFIX), path);
  });
  return previous;
}
