import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Manifest } from "../../features/backup/manifest.ts";
import { FOLDER, folderOf, MANIFEST, startOf } from "../../features/backup/rules.ts";
import type { Place } from "../d1.ts";
import { makeFolder } from "../folders.ts";
import { readKeyIds } from "../key-commands.ts";
import { readStateDir, showPath } from "../paths.ts";
import { Problem } from "../program.ts";
import { formatTable } from "../table.ts";
import { type Database, openDatabase } from "./database.ts";
import { copyBackup, folderStore, readSlice, requireManifest, requireWhole } from "./folder.ts";
import { bySize, type Restored, restoreInto } from "./restore.ts";
import { openStore } from "./stores.ts";

export interface RestoreOptions {
  from?: string;
  list?: boolean;
  startOver?: boolean;
}

export async function listBackups(place: Place): Promise<string> {
  const database = await openDatabase(place);
  try {
    const ids = await (await openStore(place, database)).listFolders(FOLDER);
    const known = ids
      .filter((id) => startOf(id) !== null)
      .sort()
      .reverse();
    if (known.length === 0) return "The storage has no backup.";
    return [...known, "", `Restore one: ${commandOf(place)} --from <one of these>`].join("\n");
  } finally {
    await database.close();
  }
}

const commandOf = ({ kind }: Place): string =>
  `npm run cli -- restore${kind === "remote" ? " --remote" : ""}`;

/** @throws Problem when the backup is not whole, or the instance is not empty */
export async function restore(place: Place, { from = "", startOver = false }: RestoreOptions) {
  const database = await openDatabase(place);
  try {
    const folder = startOf(from) === null ? resolve(from) : await download(place, database, from);
    console.error("Checking the backup …");
    const manifest = await requireWhole(folder);
    const warnings = await missingKeys(place, manifest);
    for (const warning of warnings) console.error(warning);
    const onStart = () => console.error("Writing …");
    const restored = await restoreInto(database, folder, manifest, { startOver, onStart });
    const missing = await missingObjects(database, folder, manifest);
    const advice = [...warnings, ...adviseSigningKey(place, from)];
    return describe(restored, advice, missing);
  } finally {
    await database.close();
  }
}

/** Files that are there already are not fetched again. */
async function download(place: Place, database: Database, id: string): Promise<string> {
  const folder = join(readStateDir(), "restore", id);
  await makeFolder(folder);
  const names = await readdir(folder);
  if (names.includes(MANIFEST)) return folder;
  console.error(`Fetching ${id} to ${showPath(folder)} …`);
  const store = await openStore(place, database);
  const manifestBytes = await store.get(`${folderOf(id)}${MANIFEST}`);
  if (!manifestBytes) {
    throw new Problem(
      `The storage has no backup ${id}, or it was never finished. See the others: ${commandOf(place)} --list`,
    );
  }
  const to = folderStore(folder);
  const key = `${folderOf(id)}checked-${MANIFEST}`;
  await to.put(key, manifestBytes);
  await to.put(`${folderOf(id)}${MANIFEST}`, manifestBytes);
  const manifest = await requireManifest(folder);
  await to.delete([key, `${folderOf(id)}${MANIFEST}`]);
  await copyBackup(id, manifest, store, to);
  return folder;
}

/** What cannot be read with the keys of this instance. Keys of a deployed one cannot be looked at. */
async function missingKeys(place: Place, { encryptionKeys }: Manifest): Promise<string[]> {
  if (encryptionKeys.length === 0) return [];
  const names = encryptionKeys.join(", ");
  const known = await readKeyIds(place);
  if (known === null) {
    return [
      `ENCRYPTION_KEYS of the instance must have these keys: ${names}. Cloudflare does not show secrets, so this was not checked. Without them, logins, webhooks' secrets and chats cannot be read.`,
    ];
  }
  const missing = encryptionKeys.filter((id) => !known.includes(id));
  if (missing.length === 0) return [];
  return [
    `ENCRYPTION_KEYS lacks ${missing.join(", ")}: the logins of accounts, secrets of webhooks, and chats that these keys encrypt cannot be read until you add them. If they are lost, connect those accounts again.`,
  ];
}

const DEPENDS_ON_SIGNING_KEY =
  "links to reviews, reports and calendars, and the addresses of files depend on it.";

/** A backup in the local storage is this instance's own, and so is its key. */
function adviseSigningKey(place: Place, from: string): string[] {
  if (place.kind === "remote") {
    return [`Set SIGNING_KEY to the one of the lost instance: ${DEPENDS_ON_SIGNING_KEY}`];
  }
  if (startOf(from) !== null) return [];
  return [
    `If another instance made the backup, set SIGNING_KEY to the one of that instance: ${DEPENDS_ON_SIGNING_KEY}`,
  ];
}

const MAX_SHOWN = 20;

/** Null when the bucket cannot be listed from here. */
async function missingObjects(
  { bucket }: Pick<Database, "bucket">,
  folder: string,
  { objects }: Manifest,
): Promise<string[] | null> {
  if (!bucket || !objects) return null;
  const present = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list(cursor === undefined ? {} : { cursor });
    for (const { key } of page.objects) present.add(key);
    if (!page.truncated) break;
    cursor = page.cursor;
  }
  const missing: string[] = [];
  for (const slice of objects.slices) {
    for (const line of await readSlice(folder, slice)) {
      const [key] = JSON.parse(line) as [string];
      if (!present.has(key)) missing.push(key);
    }
  }
  return missing;
}

function describe(
  { manifest, dropped, held, seconds }: Restored,
  advice: readonly string[],
  missing: readonly string[] | null,
): string {
  const rows = bySize(manifest.tables).map(({ name, rows: count }) => [
    name,
    String(count - (dropped[name] ?? 0)),
    dropped[name]
      ? `${dropped[name]} left out: their parent is missing, or another row has their place`
      : "",
  ]);
  const total = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const rate = seconds.load > 0 ? `, ${Math.round(total / seconds.load)} rows a second` : "";
  const steps = [
    ...advice,
    "Accounts whose login was renewed after the backup may have to be connected again.",
    "Tokens, sessions and members that were revoked or removed after the backup are back: revoke and remove them again.",
    ...(held.posts > 0
      ? [
          `${held.posts} posts were due since the backup. They are not sent: the next tick asks the platforms that can be asked, and the others wait for you as failed posts with "Restored: check whether it went out."`,
        ]
      : []),
    ...(held.items > 0
      ? [
          `${held.items} items of pools had their turn since the backup and were skipped. Look whether they went out.`,
        ]
      : []),
    ...(held.planned > 0
      ? [
          `${held.planned} posts are planned for later, and this instance sends them at their time. If the old instance still runs, it sends them too: switch one of the two off.`,
        ]
      : []),
    ...(held.approvals > 0
      ? [
          `${held.approvals} posts wait for approval. Some may have been approved and published since the backup: look before you approve them.`,
        ]
      : []),
    ...(missing === null
      ? [
          "Compare the files of the bucket with the backup's list of objects: they could not be listed from here.",
        ]
      : missing.length > 0
        ? [
            `${missing.length} files are missing in the bucket: ${missing.slice(0, MAX_SHOWN).join(", ")}${missing.length > MAX_SHOWN ? ", …" : ""}`,
          ]
        : []),
  ];
  return [
    formatTable(["Table", "Rows", ""], rows),
    "",
    `Restored ${total} rows of ${manifest.id}, in ${Math.round(seconds.load)} seconds${rate}; checked in ${Math.round(seconds.verify)}.`,
    "",
    "What to do now:",
    ...steps.map((step) => `- ${step}`),
  ].join("\n");
}
