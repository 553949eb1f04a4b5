import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { ask, migrate, openDatabase } from "./migrated.ts";

/** The last migration of the release whose slugs were free once no link had them, and whose clicks had no bound. */
const LAST_RELEASE = "0023";

function insertLink(
  database: DatabaseSync,
  ...link: [id: number, team: number, domain: number, key: string | null, deletedAt: 1 | null]
): void {
  database
    .prepare(
      `INSERT INTO short_links (id, team_id, domain_id, slug, slug_key, destination, use_deeplink,
        bot_protection, created_by, created_at, updated_at, deleted_at, rules)
      VALUES (?, ?, ?, 'X', ?, 'https://example.com/', 0, 0, 1, 1, 1, ?, '[]')`,
    )
    .run(...link);
}

test("slugs of an older database belong to the teams whose links have them", () => {
  const database = openDatabase(LAST_RELEASE);
  const link = insertLink.bind(null, database);
  link(1, 1, 0, "sale", null);
  link(2, 2, 0, "gone", 1);
  link(3, 2, 0, null, 1);
  link(4, 2, 7, "on-a-domain", null);
  migrate(database, LAST_RELEASE);
  const owners = () => ask(database, "SELECT slug_key, team_id FROM slug_owners");
  const first = [
    { slug_key: "gone", team_id: 2 },
    { slug_key: "sale", team_id: 1 },
  ];
  assert.deepEqual(owners(), first);
  database.exec("UPDATE short_links SET slug_key = 'sale-2' WHERE id = 1");
  database.exec("DELETE FROM short_links");
  assert.deepEqual(owners(), [...first, { slug_key: "sale-2", team_id: 1 }]);
});

test("clicks of an older database are counted on, and a message of that time counts once", () => {
  const database = openDatabase(LAST_RELEASE);
  insertLink(database, 1, 1, 0, "sale", null);
  const at = 20_000 * 86_400_000;
  database.exec(`INSERT INTO link_clicks VALUES (1, ${at}, 'old', 1, '[[${at},"DE","mobile"]]')`);
  migrate(database, LAST_RELEASE);
  const store = (message: string) =>
    database.exec(
      `INSERT INTO arriving_clicks VALUES (1, ${at}, '${message}', 1, '[[${at},"DE","mobile"]]')`,
    );
  for (const id of ["old", "new", "new"]) store(id);
  assert.deepEqual(ask(database, "SELECT clicks FROM short_links"), [{ clicks: 2 }]);
  assert.deepEqual(ask(database, "SELECT clicks, countries, counted_only FROM link_days"), [
    { clicks: 2, countries: '{"DE":2}', counted_only: 0 },
  ]);
});

test("verified domains of an older database are looked at within two days", () => {
  const database = openDatabase(LAST_RELEASE);
  const domain = (host: string, verifiedAt: number | null) =>
    database
      .prepare(
        `INSERT INTO domains (team_id, user_id, is_shared, host, txt_name, txt_value, cname_target,
          verified_at, created_at, updated_at) VALUES (1, 1, 0, ?, 'a', 'b', 'c', ?, 1, 1)`,
      )
      .run(host, verifiedAt);
  domain("a.example", 1);
  domain("b.example", null);
  migrate(database, LAST_RELEASE);
  const [first, second] = ask(database, "SELECT check_at, misses FROM domains ORDER BY id");
  const inDays = (Number(first?.check_at) - Date.now()) / 86_400_000;
  assert.ok(inDays > 0.9 && inDays < 2, `in ${inDays} days`);
  assert.deepEqual(second, { check_at: null, misses: 0 });
});
