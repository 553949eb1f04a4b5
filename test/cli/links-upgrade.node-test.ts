import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, migrate, openDatabase } from "./migrated.ts";

/** The last migration of the release whose slugs were free once no link had them. */
const LAST_WITH_FREE_SLUGS = "0023";

test("slugs of an older database belong to the teams whose links have them", () => {
  const database = openDatabase(LAST_WITH_FREE_SLUGS);
  const link = (
    id: number,
    team: number,
    domain: number,
    key: string | null,
    deletedAt: 1 | null,
  ) =>
    database
      .prepare(
        `INSERT INTO short_links (id, team_id, domain_id, slug, slug_key, destination, use_deeplink,
          bot_protection, created_by, created_at, updated_at, deleted_at, rules)
        VALUES (?, ?, ?, 'X', ?, 'https://example.com/', 0, 0, 1, 1, 1, ?, '[]')`,
      )
      .run(id, team, domain, key, deletedAt);
  link(1, 1, 0, "sale", null);
  link(2, 2, 0, "gone", 1);
  link(3, 2, 0, null, 1);
  link(4, 2, 7, "on-a-domain", null);
  migrate(database, LAST_WITH_FREE_SLUGS);
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
