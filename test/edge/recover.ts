import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { runProject } from "./programs.ts";
import { type Rehearsal, until } from "./rehearsal.ts";

/** Tables that a restore changes on purpose, and the table that wrangler keeps. Published posts are compared separately. */
const OTHER_TABLES = [
  ...["d1_migrations", "backups", "backup_slices", "chores", "deliveries", "notices"],
  ...["uploads", "pool_slots", "pool_items", "pool_firings"],
];
/** The post is due while the instance is gone. */
const DUE_AFTER_MS = 60_000;

/** How many rows each table has, and a sum of what stands in them. */
async function contents({ edge }: Rehearsal): Promise<Record<string, string>> {
  const tables = await edge.account.query(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' ORDER BY name",
  );
  const names = tables.map(({ name }) => String(name)).filter((one) => !OTHER_TABLES.includes(one));
  const sums: Record<string, string> = {};
  const add = async (name: string, sql: string) => {
    const rows = await edge.account.query(sql);
    const hash = createHash("sha256").update(JSON.stringify(rows)).digest("hex");
    sums[name] = `${rows.length} rows, ${hash}`;
  };
  for (const name of names) await add(name, `SELECT * FROM ${name}`);
  await add("uploads", "SELECT * FROM uploads WHERE status = 'completed' ORDER BY id");
  return sums;
}

async function cli(rehearsal: Rehearsal, ...args: string[]): Promise<string> {
  const { code, output } = await runProject(rehearsal.edge, "src/cli/akimbo.ts", args, {
    STATE_DIR: rehearsal.stateDir,
  });
  assert.equal(code, 0, `${args.join(" ")}\n${output}`);
  return output;
}

async function planPost(rehearsal: Rehearsal): Promise<{ id: number; dueAt: number }> {
  const [account] = await rehearsal.edge.account.query(
    "SELECT id FROM accounts WHERE platform = 'bluesky'",
  );
  const dueAt = Date.now() + DUE_AFTER_MS;
  const form = new FormData();
  form.set("accountId", String(account?.id));
  form.set("description", "Planned before everything was lost");
  form.set("schedule_date", new Date(dueAt).toISOString());
  const { data } = await rehearsal.call<{ data: { uploadId: number } }>(
    "POST",
    "/api/v1/upload",
    form,
  );
  return { id: data.uploadId, dueAt };
}

/** The database and the Worker go; the bucket stays. */
async function loseAll({ edge }: Rehearsal): Promise<void> {
  for (const path of ["/workers/scripts/akimbo", "/d1/database/akimbo"]) {
    const { success, errors } = await edge.account.call("DELETE", path);
    assert.ok(success, JSON.stringify(errors));
  }
}

/** A new instance gets the keys of the old one, and then its rows. */
export async function restoreAll(rehearsal: Rehearsal): Promise<string> {
  const { account } = rehearsal.edge;
  await rehearsal.settle();
  const planned = await planPost(rehearsal);
  const secrets = await account.secrets();
  const madeAt = performance.now();
  const made = await cli(rehearsal, "backup", "--remote");
  const backupSeconds = Math.round((performance.now() - madeAt) / 1_000);
  const id = /Backup (\S+):/.exec(made)?.[1] ?? "";
  const before = await contents(rehearsal);

  await loseAll(rehearsal);
  const { code, output } = await rehearsal.deploy();
  assert.equal(code, 0, output);
  for (const [name, text] of secrets) await rehearsal.setSecret(name, text);
  assert.match(await cli(rehearsal, "restore", "--remote", "--list"), new RegExp(`^${id}$`, "m"));
  await sleep(Math.max(0, planned.dueAt - Date.now()));
  const restoredAt = performance.now();
  const said = await cli(rehearsal, "restore", "--remote", "--from", id);
  const restoreSeconds = Math.round((performance.now() - restoredAt) / 1_000);
  assert.match(said, /1 posts were due since the backup/);
  assert.deepEqual(await contents(rehearsal), before);

  await isHeld(rehearsal, planned.id);
  // The sandbox stands in a Durable Object, which is in no backup: it knows neither the posts nor the accounts.
  rehearsal.gone = rehearsal.posts;
  await rehearsal.call("DELETE", `/api/v1/upload/${planned.id}`);
  await rehearsal.checkPosts();
  await publishAnew(rehearsal);
  rehearsal.posts++;
  await rehearsal.settle();
  await rehearsal.checkPosts();
  return `${Object.keys(before).length} tables as before; one post held; ${backupSeconds} s to back up, ${restoreSeconds} s to restore`;
}

/** An account that is connected after the restore publishes. */
async function publishAnew(rehearsal: Rehearsal): Promise<void> {
  const login = { platform: "bluesky", sandbox: true, name: "Connected after the restore" };
  const { data } = await rehearsal.call<{ data: { id: string } }>(
    "POST",
    "/api/v1/accounts",
    login,
  );
  const form = new FormData();
  form.set("accountId", data.id);
  form.set("description", "Published after everything was lost");
  await rehearsal.call("POST", "/api/v1/upload", form);
}

/** The platform does not know the account any more, so the post waits for its owner. */
async function isHeld(rehearsal: Rehearsal, id: number): Promise<void> {
  const path = `/api/v1/upload/${id}`;
  await until(async () => {
    await rehearsal.edge.account.runCron();
    const { data } = await rehearsal.call<{ data: { status: string; errorMessage: string } }>(
      "GET",
      path,
    );
    if (data.status !== "failed") return false;
    assert.match(data.errorMessage, /^Restored: check whether it went out/);
    return true;
  });
}
