import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { type Database, openDatabase } from "../../src/cli/backup/database.ts";
import { requireManifest } from "../../src/cli/backup/folder.ts";
import { restoreInto } from "../../src/cli/backup/restore.ts";
import { runLocalJob } from "../../src/cli/d1.ts";
import { inProject } from "../../src/cli/paths.ts";

const root = await mkdtemp(join(tmpdir(), "akimbo-backup-"));
after(() => rm(root, { recursive: true }));

const migrations = inProject("migrations");
const DAY = 86_400_000;
const NOW = Date.now();

interface Run {
  out: string;
  error: string;
  code: number;
}

function start(stateDir: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [inProject("src/cli/akimbo.ts"), ...args], {
    env: { ...process.env, STATE_DIR: stateDir, INIT_CWD: undefined, ...env },
  });
  child.stdin.end();
  const done = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]).then(
    ([out, error, [code]]): Run => ({ out, error, code }),
  );
  return { child, done };
}

const run = (stateDir: string, ...args: string[]): Promise<Run> => start(stateDir, args).done;

async function ok(stateDir: string, ...args: string[]): Promise<string> {
  const { out, error, code } = await run(stateDir, ...args);
  assert.equal(code, 0, error);
  return out;
}

async function refused(stateDir: string, ...args: string[]): Promise<string> {
  const { out, error, code } = await run(stateDir, ...args);
  assert.equal(code, 1, out);
  return error;
}

const ask = (stateDir: string, ...statements: string[]) =>
  runLocalJob({ stateDir, migrations: null, statements });

const place = (name: string): string => join(root, name);

/** The rows of every table but the tables that a restore leaves out or changes. */
async function contents(stateDir: string) {
  const [tables = []] = await ask(
    stateDir,
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'
      AND name NOT IN ('d1_migrations', 'backups', 'backup_slices', 'deliveries', 'notices', 'chores', 'uploads',
        'pool_slots', 'pool_items', 'pool_firings') ORDER BY name`,
  );
  const names = tables.map(({ name }) => String(name));
  const rows = await ask(stateDir, ...names.map((name) => `SELECT * FROM ${name}`));
  return Object.fromEntries(names.map((name, i) => [name, rows[i]]));
}

/** Everything that a post, a webhook, a pool and a link need; `status` and `due` of one post each. */
const post = (
  id: number,
  status: string,
  due: number | null,
  more: Record<string, unknown> = {},
) => {
  const columns = {
    id,
    team_id: 1,
    account_id: "acc_1",
    platform: "bluesky",
    status,
    status_group: status === "processing" ? "pending" : status,
    description: `It's post ${id}: "é😀"`,
    settings: "{}",
    media: "[]",
    scheduled_for: due,
    sort_at: due ?? NOW,
    created_at: NOW - 9 * DAY,
    due_at: due,
    ...more,
  };
  const values = Object.values(columns).map((value) =>
    typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value),
  );
  return `INSERT INTO uploads (${Object.keys(columns).join(", ")}) VALUES (${values.join(", ")})`;
};

const ROWS = [
  `INSERT INTO users (id, email, created_at) VALUES (1, 'ann@example.com', 1), (5, 'bob@example.com', 2)`,
  `INSERT INTO teams (id, name, slug, owner_id, created_at, updated_at) VALUES (1, 'Ann''s', 'ann', 1, 1, 1), (7, 'B', 'b', 5, 1, 1)`,
  `DELETE FROM users WHERE id = 99`,
  `INSERT INTO members (team_id, user_id, role, joined_at) VALUES (1, 1, 'OWNER', 1), (7, 5, 'OWNER', 1)`,
  `INSERT INTO tokens (hash, name, hint, user_id, scopes, created_at) VALUES ('h', 'n', 'x', 1, '["*"]', 1)`,
  `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status, credentials, connected_at)
    VALUES ('acc_1', 1, 'bluesky', 'did:1', 'Ann', 'sandbox', 'active', 'v1.lost.abc.def', 1)`,
  `INSERT INTO webhooks (team_id, url, events, secret, active_since, created_at, updated_at)
    VALUES (1, 'https://example.com/', '["upload.failed"]', 'v1.lost.a.b', 1, 1, 1)`,
  `INSERT INTO events (team_id, id, name, data, created_at) VALUES (1, 'evt_1', 'upload.failed', '{"uploadId":1}', 5)`,
  `INSERT INTO short_links (team_id, domain_id, slug, slug_key, destination, use_deeplink, bot_protection, created_by,
    created_at, updated_at, rules) VALUES (1, 0, 'Hi', 'hi', 'https://example.com/?a=1&b=2', 0, 0, 1, 1, 1, '[]')`,
  `INSERT INTO activity VALUES (1, 'a', 1, 'user', 1, 'a' || char(0) || 'b' || char(10) || '?1', 'x', 'y', NULL)`,
  `INSERT INTO analytics_posts VALUES (1, 'acc_1', json_array(hex(zeroblob(150000))))`,
  `INSERT INTO pools (id, team_id, name, timezone, created_at, updated_at) VALUES (1, 1, 'P', 'UTC', 1, 1)`,
  `INSERT INTO pool_slots (id, pool_id, team_id, time, days, account_ids, next_at, next_day, created_at)
    VALUES (1, 1, 1, '10:00', '[0,1,2,3,4,5,6]', '["acc_1"]', ${Math.floor(NOW / DAY) * DAY - 2 * DAY + 10 * 3_600_000},
      '${new Date(NOW - 2 * DAY).toISOString().slice(0, 10)}', 1)`,
  ...[1, 2, 3, 4, 5].map(
    (
      n,
    ) => `INSERT INTO pool_items (id, pool_id, team_id, position, state, title, settings, media, origin, added_by,
      may_publish, created_at) VALUES (${n}, 1, 1, ${n}, 'queued', 'Item ${n}', '{}', '[]', '', 1, 1, 1)`,
  ),
  post(1, "completed", null),
  post(2, "scheduled", NOW - DAY),
  post(3, "scheduled", NOW + 9 * DAY),
  post(4, "pending", NOW - 2 * DAY),
  post(5, "processing", NOW + DAY, {
    stage: "submitting",
    submitted_at: NOW - DAY,
    bookmark: "{}",
  }),
  post(6, "pending_approval", null),
  post(7, "failed", null),
  ...Array.from({ length: 300 }, (_, i) => post(100 + i, "completed", null)),
];

const source = place("source");
const folder = place("folder");

before(async () => {
  await runLocalJob({ stateDir: source, migrations, statements: ROWS });
  await ok(source, "backup", "--to", folder);
});

const SLICES = ".jsonl.gz";
const sliceOf = async (table: string): Promise<string> => {
  const name = (await readdir(folder)).find((one) => one.endsWith(`-${table}${SLICES}`));
  assert.ok(name);
  return name;
};

test("a backup in a folder comes back row by row, and what was due is held", async () => {
  const target = place("whole");
  const out = await ok(target, "restore", "--from", folder);
  assert.match(out, /uploads\s+307/);
  assert.match(out, /3 posts were due since the backup/);
  assert.match(out, /1 posts wait for approval/);
  assert.match(out, /1 posts are planned for later, and this instance sends them/);
  assert.match(out, /ENCRYPTION_KEYS lacks lost/);
  assert.match(out, /If another instance made the backup, set SIGNING_KEY to the one of that/);
  assert.deepEqual(await contents(target), await contents(source));
  const [uploads, deliveries, notices, marks, triggers, items, slots, sequence, names, broken] =
    await ask(
      target,
      `SELECT id, status, due_at <= ${Date.now()} AS is_due, backed_up_at > 0 AS is_held FROM uploads
        WHERE id < 100 OR id > 1000 ORDER BY id`,
      "SELECT count(*) AS n FROM deliveries",
      "SELECT count(*) AS n FROM notices",
      "SELECT name FROM sqlite_master WHERE name LIKE 'restoring%'",
      "SELECT group_concat(name) AS names FROM (SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name)",
      "SELECT state, reason FROM pool_items ORDER BY id",
      `SELECT next_at > ${Date.now()} AS is_later FROM pool_slots`,
      "SELECT seq > 1000000 AS is_leapt FROM sqlite_sequence WHERE name IN ('users', 'teams', 'short_links')",
      "SELECT count(*) AS n FROM d1_migrations",
      "PRAGMA foreign_key_check",
    );
  assert.deepEqual(
    uploads?.map(({ id, status, is_held }) => [id, status, is_held]),
    [
      [1, "completed", null],
      [2, "processing", 1],
      [3, "scheduled", null],
      [4, "processing", 1],
      [5, "processing", 1],
      [6, "pending_approval", null],
      [7, "failed", null],
      [1_000_399, "failed", null],
    ],
  );
  assert.deepEqual([deliveries, notices], [[{ n: 0 }], [{ n: 0 }]]);
  assert.deepEqual(marks, []);
  const [expected] = await ask(
    source,
    "SELECT group_concat(name) AS names FROM (SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name)",
  );
  assert.deepEqual(triggers, expected);
  const skipped = items?.filter(({ state }) => state === "skipped").map(({ reason }) => reason);
  assert.ok(skipped && skipped.length >= 2 && skipped.length <= 3);
  assert.deepEqual(new Set(skipped), new Set(["Restored: check whether it went out."]));
  assert.deepEqual(slots, [{ is_later: 1 }]);
  assert.deepEqual(sequence, [{ is_leapt: 1 }, { is_leapt: 1 }, { is_leapt: 1 }]);
  assert.equal(names?.[0]?.n, (await readdir(migrations)).filter((n) => n.endsWith(".sql")).length);
  assert.deepEqual(broken, []);
});

test("an instance with people is not touched", async () => {
  const error = await refused(source, "restore", "--from", folder);
  assert.match(error, /is in use: it has 2 people/);
  assert.doesNotMatch(error, /Writing/);
});

test("the owner whom a first deployment has made gives way", async () => {
  const target = place("deployed");
  const statements = [
    "INSERT INTO users (email, created_at) VALUES ('new@example.com', 1)",
    "INSERT INTO teams (name, slug, owner_id, created_at, updated_at) VALUES ('N', 'n', 1, 1, 1)",
    "INSERT INTO members (team_id, user_id, role, joined_at) VALUES (1, 1, 'OWNER', 1)",
  ];
  await runLocalJob({ stateDir: target, migrations, statements });
  await ok(target, "restore", "--from", folder);
  assert.deepEqual(await contents(target), await contents(source));
});

type Manifest = {
  id: string;
  sequences: Record<string, number>;
  format: number;
  migrations: string[];
  tables: {
    name: string;
    rows: number;
    slices: { rows: number; sha256: string; bytes: number }[];
  }[];
};

/** A copy of the backup with something changed. */
async function damaged(name: string, change: (folder: string) => Promise<void>): Promise<string> {
  const copy = place(name);
  await cp(folder, copy, { recursive: true });
  await change(copy);
  return copy;
}

const changeManifest = (change: (manifest: Manifest) => void) => async (copy: string) => {
  const path = join(copy, "manifest.json");
  const manifest = JSON.parse(await readFile(path, "utf8"));
  change(manifest);
  await writeFile(path, JSON.stringify(manifest));
};

/** Puts other bytes into a table's only slice, under their right hash. */
const replaceSlice = (name: string, make: () => Buffer) => async (copy: string) => {
  const bytes = make();
  await writeFile(join(copy, await sliceOf(name)), bytes);
  await changeManifest(({ tables }) => {
    const slice = tables.find((table) => table.name === name)?.slices[0];
    if (!slice) throw new Error(`${name} has no slice.`);
    slice.bytes = bytes.length;
    slice.sha256 = createHash("sha256").update(bytes).digest("hex");
  })(copy);
};

const DAMAGES: [string, (copy: string) => Promise<void>, RegExp][] = [
  [
    "flipped",
    async (copy) => {
      const path = join(copy, await sliceOf("uploads"));
      const bytes = await readFile(path);
      bytes[100] = (bytes[100] ?? 0) ^ 1;
      await writeFile(path, bytes);
    },
    /uploads\.jsonl\.gz is damaged/,
  ],
  [
    "shortened",
    async (copy) => {
      const path = join(copy, await sliceOf("events"));
      await writeFile(path, (await readFile(path)).subarray(0, 20));
    },
    /events\.jsonl\.gz is damaged/,
  ],
  [
    "missing",
    async (copy) => rm(join(copy, await sliceOf("teams"))),
    /teams\.jsonl\.gz is missing/,
  ],
  ["unfinished", (copy) => rm(join(copy, "manifest.json")), /was never finished/],
  ["no JSON", (copy) => writeFile(join(copy, "manifest.json"), "{"), /manifest\.json is damaged/],
  [
    "not compressed",
    replaceSlice("teams", () => Buffer.from("no gzip")),
    /teams\.jsonl\.gz is not compressed/,
  ],
  [
    "far larger than its files",
    replaceSlice("teams", () => gzipSync(Buffer.alloc(60_000_000, "a"))),
    /teams\.jsonl\.gz is not compressed/,
  ],
  [
    "without an id",
    changeManifest((manifest) => {
      manifest.id = "2026-11-28\0";
    }),
    /manifest\.json is damaged/,
  ],
  [
    "at the end of all ids",
    changeManifest((manifest) => {
      manifest.sequences.users = Number.MAX_SAFE_INTEGER;
    }),
    /manifest\.json is damaged/,
  ],
  [
    "painting the terminal",
    changeManifest((manifest) => {
      manifest.migrations.push("\x1b[31m9999_red.sql");
    }),
    /manifest\.json is damaged/,
  ],
  [
    "miscounted",
    changeManifest((manifest) => {
      for (const table of manifest.tables) if (table.name === "uploads") table.rows++;
    }),
    /says that uploads has 308 rows, but its files have 307/,
  ],
  [
    "of another format",
    changeManifest((manifest) => {
      manifest.format = 2;
    }),
    /has format 2/,
  ],
  [
    "of a later version",
    changeManifest((manifest) => {
      manifest.migrations.push("9999_later.sql");
    }),
    /does not have \(9999_later\.sql\)/,
  ],
  [
    "with a table of wrangler",
    changeManifest(({ tables }) => {
      for (const table of tables) if (table.name === "tokens") table.name = "d1_migrations";
    }),
    /nothing was written\.\n- d1_migrations is not a table of a backup/,
  ],
];

for (const [name, change, reason] of DAMAGES) {
  test(`a backup that is ${name} is refused before anything is written`, async () => {
    const copy = await damaged(name.replaceAll(" ", "-"), change);
    const target = place(`into-${name.replaceAll(" ", "-")}`);
    await mkdir(target, { recursive: true });
    assert.match(await refused(target, "restore", "--from", copy), reason);
    const [tables] = await ask(
      target,
      "SELECT name FROM sqlite_master WHERE name NOT GLOB '_cf_*'",
    );
    assert.deepEqual(tables, []);
  });
}

/** Changes the lines of a table in a copy of the backup. */
const withLines = (copyName: string, table: string, change: (lines: string[]) => string[]) =>
  damaged(copyName, async (to) => {
    const name = await sliceOf(table);
    const path = join(to, name);
    const lines = change(
      gunzipSync(await readFile(path))
        .toString()
        .split("\n")
        .filter(Boolean),
    );
    const bytes = gzipSync(`${lines.join("\n")}\n`);
    await writeFile(path, bytes);
    await changeManifest((manifest) => {
      const one = manifest.tables.find(({ name: own }) => own === table);
      const [slice] = one?.slices ?? [];
      assert.ok(one && slice);
      one.rows = lines.length;
      slice.rows = lines.length;
      slice.bytes = bytes.length;
      slice.sha256 = createHash("sha256").update(bytes).digest("hex");
    })(to);
  });

test("rows whose parent is missing are left out, and the command says how many", async () => {
  const copy = await withLines("orphans", "users", (lines) =>
    lines.filter((line) => !line.includes("bob@")),
  );
  const target = place("without-bob");
  const out = await ok(target, "restore", "--from", copy);
  assert.match(out, /teams\s+1\s+1 left out: their parent is missing/);
  assert.match(out, /members\s+1\s+1 left out/);
});

test("a row that got another id while its table was copied is restored once", async () => {
  const copy = await withLines("twice", "short_links", ([line = ""]) => [
    line,
    line.replace("[[1,", "[[2,"),
  ]);
  const target = place("once");
  assert.match(await ok(target, "restore", "--from", copy), /short_links\s+1\s+1 left out/);
});

test("a post that moved to the archive while it was copied is there alone", async () => {
  const from = place("archived-source");
  const to = place("archived-folder");
  await runLocalJob({
    stateDir: from,
    migrations,
    statements: [
      ...ROWS,
      `INSERT INTO archive_files VALUES (1, '2025-03', 1, 1, 10, 3)`,
      `INSERT INTO archive_members VALUES (1, '2025-03', 1, 0, 10, 20, 3, 99, 105, ${NOW - 30 * DAY}, ${NOW}, '[99,1,5]', 'x')`,
    ],
  });
  await ok(from, "backup", "--to", to);
  const target = place("archived-target");
  await ok(target, "restore", "--from", to);
  const [posts] = await ask(target, "SELECT id FROM uploads WHERE id BETWEEN 99 AND 106");
  assert.deepEqual(
    posts?.map(({ id }) => id),
    [101, 102, 103, 104, 106],
  );
});

test("a backup of an older schema is brought up to date after it is loaded", async () => {
  const older = place("older-migrations");
  await mkdir(older);
  const names = (await readdir(migrations)).filter((n) => n.endsWith(".sql") && n < "0055");
  for (const name of names) await cp(join(migrations, name), join(older, name));
  const from = place("older");
  const statements = ROWS.filter((one) => !one.includes("9 * DAY"));
  await runLocalJob({ stateDir: from, migrations: older, statements });
  const copy = place("older-backup");
  await ok(from, "backup", "--to", copy);
  const target = place("newer");
  await ok(target, "restore", "--from", copy);
  const [applied, held, answers] = await ask(
    target,
    "SELECT name FROM d1_migrations ORDER BY id",
    "SELECT count(*) AS n FROM uploads WHERE backed_up_at IS NOT NULL AND status = 'processing'",
    "SELECT count(*) AS n FROM attempts",
  );
  const all = (await readdir(migrations)).filter((name) => name.endsWith(".sql")).sort();
  assert.deepEqual(
    applied?.map(({ name }) => name),
    all,
  );
  assert.deepEqual([held, answers], [[{ n: 3 }], [{ n: 0 }]]);
});

test("a backup in the bucket is listed, and comes back after the database is lost", async () => {
  const stateDir = place("bucket");
  await runLocalJob({ stateDir, migrations, statements: ROWS });
  const before = await contents(stateDir);
  const made = await ok(stateDir, "backup");
  const [, id = ""] = /Backup (\S+):/.exec(made) ?? [];
  const [rows] = await ask(stateDir, "SELECT id, finished_at > 0 AS is_finished FROM backups");
  assert.deepEqual(rows, [{ id, is_finished: 1 }]);
  await rm(join(stateDir, "v3", "d1"), { recursive: true });
  assert.match(await ok(stateDir, "restore", "--list"), new RegExp(`^${id}\n`));
  assert.match(await refused(stateDir, "restore", "--from", "2020-01-01T000000Z"), /has no backup/);
  assert.doesNotMatch(await ok(stateDir, "restore", "--from", id), /SIGNING_KEY/);
  assert.deepEqual(await contents(stateDir), before);
});

/** Enough to make the tables and to load some. */
const WRITES_BEFORE_BREAK = 12;

test("an interrupted restore leaves a closed instance, and is finished by the same command", async () => {
  const target = place("interrupted");
  await ask(target);
  const database = await openDatabase({ kind: "local", stateDir: target });
  let writes = 0;
  const breaking: Database = {
    ...database,
    write: async (statements) => {
      if (++writes > WRITES_BEFORE_BREAK) throw new Error("The power is gone.");
      await database.write(statements);
    },
  };
  const manifest = await requireManifest(folder);
  await assert.rejects(
    restoreInto(breaking, folder, manifest, { startOver: false }),
    /The power is gone/,
  );
  await database.close();
  const [tables] = await ask(target, "SELECT name FROM sqlite_master WHERE name LIKE '%uploads'");
  assert.deepEqual(tables, [{ name: "restoring_uploads" }]);
  assert.match(await refused(target, "restore", "--from", folder), /Another restore is under way/);
  await ask(target, "UPDATE restoring_run SET beat_at = 0");
  const other = await damaged("other", async () => {});
  const path = join(other, "manifest.json");
  await writeFile(path, JSON.stringify({ ...manifest, id: "2020-01-01T000000Z" }));
  assert.match(await refused(target, "restore", "--from", other), /was interrupted here/);
  await ok(target, "restore", "--from", folder);
  assert.deepEqual(await contents(target), await contents(source));
});

test("of two restores at once, one works and the other says so", async () => {
  const target = place("twice");
  const runs = await Promise.all([
    run(target, "restore", "--from", folder),
    run(target, "restore", "--from", folder),
  ]);
  assert.deepEqual(runs.map(({ code }) => code).sort(), [0, 1], runs.map((r) => r.error).join());
  const said = runs.map(({ error }) => error).join();
  assert.match(said, /Another restore|is in use|database is locked|holder/);
  assert.deepEqual(await contents(target), await contents(source));
});

test("another storage without https is refused before its keys are used", async () => {
  const { error, code } = await start(source, ["restore", "--list"], {
    BACKUP_ENDPOINT: "http://s3.example.com/mine",
    BACKUP_ACCESS_KEY_ID: "a",
    BACKUP_SECRET_ACCESS_KEY: "b",
  }).done;
  assert.equal(code, 1);
  assert.match(error, /BACKUP_ENDPOINT must be an https address, or http to localhost/);
});

test("a folder with files, a wrong word and no word are refused", async () => {
  assert.match(await refused(source, "backup", "--to", folder), /is not empty/);
  const { code, error } = await run(source, "restore");
  assert.equal(code, 2);
  assert.match(error, /--from/);
});
