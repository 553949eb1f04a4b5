import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { sha256Hex } from "../../../src/core/signature.ts";
import { LATEST_MIGRATION } from "../../../src/db/.generated/latest.ts";
import { backUp } from "../../../src/features/backup/nightly.ts";
import { bucketStore } from "../../../src/features/backup/store.ts";
import { createMember } from "../../support/harness.ts";
import { openAccount } from "../../support/stage.ts";
import {
  backingUp,
  countOf,
  manifestIn,
  readLines,
  recordMigrations,
  runToEnd,
} from "./support.ts";

const ID = "2026-12-01T090000Z";
const store = bucketStore(env.MEDIA);

beforeEach(async () => {
  await recordMigrations();
  const { objects } = await env.MEDIA.list();
  await env.MEDIA.delete(objects.map(({ key }) => key));
  await env.DB.batch(
    ["backups", "backup_slices", "chores"].map((t) => env.DB.prepare(`DELETE FROM ${t}`)),
  );
});

describe.each([
  ["free", 50],
  ["paid", 10_000],
])("a night on the %s plan", (_, subrequestsPerInvocation) => {
  test("copies every row of every table, page by page, and the manifest says so", async () => {
    const stage = await openAccount();
    for (let i = 0; i < 30; i++) await stage.post({ description: `${"Long ".repeat(50)} ${i}` });
    await env.MEDIA.put("media/1/a", "file");
    await env.MEDIA.put("presigned/1/b", "file of a page");
    await env.MEDIA.put("backups/2026-11-30T090000Z/manifest.json", "{}");
    const harness = backingUp({ subrequestsPerInvocation });
    await runToEnd(harness);
    const manifest = await manifestIn(store, ID);
    expect(manifest).toMatchObject({
      format: 1,
      id: ID,
      from: "2026-12-01T09:00:00.000Z",
      encryptionKeys: ["test"],
      settings: { values: { ENVIRONMENT: "development" } },
      objects: { count: 2 },
    });
    expect(manifest.migrations.at(-1)).toBe(LATEST_MIGRATION);
    expect(manifest.settings.secrets).toContain("ENCRYPTION_KEYS");
    expect(JSON.stringify(manifest)).not.toContain(harness.deps.config.signingKey);
    const names = manifest.tables.map(({ name }) => name);
    expect(names).toContain("uploads");
    expect(names).not.toContain("backups");
    for (const table of manifest.tables) {
      const lines = [];
      for (const { name, rows, bytes, sha256 } of table.slices) {
        const stored = await store.get(`backups/${ID}/${name}`);
        expect(stored?.length).toBe(bytes);
        expect(stored && (await sha256Hex(stored))).toBe(sha256);
        const own = await readLines(store, `backups/${ID}/${name}`);
        expect(own).toHaveLength(rows);
        lines.push(...own);
      }
      expect([table.name, table.rows]).toEqual([table.name, lines.length]);
      if (table.name !== "chores") {
        expect([table.name, lines.length]).toEqual([table.name, await countOf(table.name)]);
      }
    }
    const uploads = manifest.tables.find(({ name }) => name === "uploads");
    if (subrequestsPerInvocation === 50) expect(uploads?.slices.length).toBeGreaterThan(0);
    expect(await env.DB.prepare("SELECT * FROM backups").first()).toMatchObject({
      id: ID,
      finished_at: harness.deps.now().getTime(),
      rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
      error: null,
    });
    expect(await countOf("backup_slices")).toBe(0);
  });
});

test("the ticks of a night make a backup, and those of the day no other", async () => {
  const harness = backingUp();
  for (let minute = 0; minute < 40; minute++) {
    await harness.tick();
    harness.advance(60);
  }
  const { results } = await env.DB.prepare("SELECT * FROM backups").all();
  expect(results).toHaveLength(1);
  expect(results[0]?.finished_at).not.toBeNull();
});

test("a page that runs twice changes nothing", async () => {
  await createMember();
  const harness = backingUp({ subrequestsPerInvocation: 50 });
  const first = await backUp(harness.deps, null);
  await backUp(harness.deps, first);
  await runToEnd(harness, first);
  const manifest = await manifestIn(store, ID);
  for (const { name, rows, slices } of manifest.tables) {
    expect([name, slices.reduce((sum, one) => sum + one.rows, 0)]).toEqual([name, rows]);
  }
  const keys = await store.listKeys(`backups/${ID}/`, 1_000);
  const named = [...manifest.tables, manifest.objects ?? { slices: [] }].flatMap(
    ({ slices }) => slices,
  );
  expect(keys).toHaveLength(named.length + 1);
});

test("without BACKUP=on, there is none", async () => {
  const harness = backingUp();
  harness.deps.config = {
    ...harness.deps.config,
    backup: { isOn: false, access: null, missing: [] },
  };
  expect(await backUp(harness.deps, null)).toBeNull();
  expect(await countOf("backups")).toBe(0);
});

test("a storage that fails is named in the row of the backup, and the page is repeated", async () => {
  const harness = backingUp();
  const { media } = harness.deps;
  harness.deps.media = new Proxy(media, {
    get: (bucket, name) =>
      name === "put"
        ? () => Promise.reject(new Error("The bucket is out of order."))
        : Reflect.get(bucket, name).bind(bucket),
  });
  await createMember();
  for (let minute = 0; minute < 5; minute++) {
    await harness.tick();
    harness.advance(60);
  }
  expect(harness.logs).toContainEqual(
    expect.objectContaining({ event: "chore.failed", chore: "back up" }),
  );
  expect(await env.DB.prepare("SELECT error FROM backups").first()).toEqual({
    error: "The bucket is out of order.",
  });
  harness.deps.media = media;
  for (let minute = 0; minute < 40; minute++) {
    harness.advance(60);
    await harness.tick();
  }
  const row = await env.DB.prepare("SELECT * FROM backups WHERE finished_at IS NOT NULL").first();
  expect(row).toMatchObject({ error: null });
});

test("a migration in the middle begins the backup anew", async () => {
  const harness = backingUp({ subrequestsPerInvocation: 50 });
  const first = await backUp(harness.deps, null);
  await env.DB.prepare("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')").run();
  try {
    harness.advance(60);
    const next = await backUp(harness.deps, first);
    expect(JSON.parse(String(next))).toMatchObject({ id: "2026-12-01T090100Z", slices: 0 });
  } finally {
    await env.DB.prepare("DELETE FROM d1_migrations WHERE name = '9999_later.sql'").run();
  }
});

test("a backup that is no longer kept is removed, whoever made it; the bucket's files are not", async () => {
  const harness = backingUp();
  for (const day of ["20", "21", "22", "23", "24", "25", "26", "27", "28", "29"]) {
    await env.MEDIA.put(`backups/2026-11-${day}T030000Z/manifest.json`, "{}");
    await env.MEDIA.put(`backups/2026-11-${day}T030000Z/000001-uploads.jsonl.gz`, "x");
  }
  // This one was never finished, and its week and month have others.
  await env.MEDIA.put("backups/2026-11-05T030000Z/000001-uploads.jsonl.gz", "x");
  await env.MEDIA.put("media/1/a", "file");
  await runToEnd(harness);
  const left = await store.listFolders("backups/");
  // Seven days, three of whose weeks and two of whose months they are, and the Sunday before.
  expect(left).toEqual(
    ["22", "24", "25", "26", "27", "28", "29"].map((d) => `2026-11-${d}T030000Z`).concat(ID),
  );
  expect(await env.MEDIA.head("media/1/a")).not.toBeNull();
});

test("more backups of another instance than one page looks at stay in the index", async () => {
  const harness = backingUp();
  const days = Array.from({ length: 28 }, (_, i) => `2026-02-${String(i + 1).padStart(2, "0")}`);
  for (const day of days) await env.MEDIA.put(`backups/${day}T030000Z/manifest.json`, "{}");
  await runToEnd(harness);
  const index = await env.MEDIA.get("backups/index.json");
  const { backups } = JSON.parse((await index?.text()) ?? "{}") as { backups: string[] };
  expect(backups).toEqual((await store.listFolders("backups/")).toReversed());
  expect(backups.length).toBeGreaterThan(8);
});
