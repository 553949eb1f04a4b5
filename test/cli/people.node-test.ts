import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { insertFirstOwner, SELECT_OWNER, toOwner } from "../../src/cli/owner.ts";
import { chooseOne, selectPerson } from "../../src/cli/people.ts";
import { type Addressee, prepareLink } from "../../src/cli/sign-in-statements.ts";
import { ask, migrate, openDatabase } from "./migrated.ts";

const AT = new Date("2026-12-05T12:00:00Z");
const LAST_WITH_CAPITALS = "0008";

const addUser = (database: DatabaseSync, email: string) =>
  database.prepare("INSERT INTO users (email, created_at) VALUES (?, 1)").run(email);

const makeOwner = (database: DatabaseSync, email: string) => {
  for (const statement of insertFirstOwner(toOwner(email), AT)) database.exec(statement);
};

const owner = (database: DatabaseSync) => ask(database, SELECT_OWNER.part)[0]?.email;

/** Closes an account, as the service does before the team is erased. */
function close(database: DatabaseSync, id: number): void {
  database.exec(`UPDATE teams SET deleted_at = 1 WHERE owner_id = ${id};
    UPDATE users SET email = 'deleted-' || id || '@akimbo.invalid' WHERE id = ${id}`);
}

/** Prepares a link and answers whom it is stored for. */
async function linkTo(database: DatabaseSync, to: Addressee) {
  const { lookUp, insert } = await prepareLink(to, AT);
  const people = ask(database, lookUp);
  database.exec("DELETE FROM verifications");
  database.exec(insert);
  const [stored] = ask(database, "SELECT value FROM verifications");
  const email: string | null = stored ? JSON.parse(String(stored.value)).email : null;
  return { people, email };
}

test("the owner is whoever came first of those who have an account", () => {
  const database = openDatabase();
  assert.equal(owner(database), undefined);
  makeOwner(database, "ada@example.com");
  makeOwner(database, "eve@example.com");
  addUser(database, "bob@example.com");
  assert.equal(owner(database), "ada@example.com");
  close(database, 1);
  assert.equal(owner(database), "bob@example.com");
  makeOwner(database, "eve@example.com");
  assert.equal(owner(database), "bob@example.com");
});

test("where nobody is left a new owner is made, by the old one's address and beside their team too", () => {
  const database = openDatabase();
  makeOwner(database, "ada@example.com");
  close(database, 1);
  makeOwner(database, "ada@example.com");
  assert.equal(owner(database), "ada@example.com");
  const teams = ask(
    database,
    `SELECT slug, owner_id, role FROM teams JOIN members ON members.team_id = teams.id
      ORDER BY teams.id`,
  );
  assert.deepEqual(
    teams.map(({ owner_id, role }) => [owner_id, role]),
    [
      [1, "OWNER"],
      [2, "OWNER"],
    ],
  );
  assert.match(String(teams[1]?.slug), /^ada-[0-9a-f]{12}$/);
});

test("a link without an address is the owner's, and nobody's where nobody is left", async () => {
  const database = openDatabase();
  makeOwner(database, "ada@example.com");
  assert.equal((await linkTo(database, null)).email, "ada@example.com");
  close(database, 1);
  assert.deepEqual(await linkTo(database, null), { people: [], email: null });
  assert.equal((await linkTo(database, { id: "1" })).email, null);
});

test("addresses that differ in case alone become one, except where both are somebody's", () => {
  const database = openDatabase(LAST_WITH_CAPITALS);
  for (const email of ["dup@ex.com", "Dup@Ex.com", "DUP@ex.com", "Lone@Ex.com"]) {
    addUser(database, email);
  }
  migrate(database, LAST_WITH_CAPITALS);
  const emails = ask(database, "SELECT email FROM users ORDER BY id").map(({ email }) => email);
  assert.deepEqual(emails, ["dup@ex.com", "Dup@Ex.com", "DUP@ex.com", "lone@ex.com"]);
  for (const email of ["LONE@ex.com", "dUP@ex.com", "Dup@Ex.com"]) {
    assert.throws(() => addUser(database, email), /UNIQUE/);
  }
  const rename = database.prepare("UPDATE users SET email = ? WHERE id = 4");
  assert.throws(() => rename.run("dUP@ex.com"), /UNIQUE/);
  rename.run("new@ex.com");
  addUser(database, "lone@ex.com");
});

test("two people with one address are told apart by their ids", async () => {
  const database = openDatabase(LAST_WITH_CAPITALS);
  addUser(database, "dup@ex.com");
  addUser(database, "Dup@Ex.com");
  migrate(database, LAST_WITH_CAPITALS);
  const { people, email } = await linkTo(database, { email: "DUP@ex.com" });
  assert.equal(email, null);
  for (const rows of [people, ask(database, selectPerson("dup@EX.com"))]) {
    assert.throws(
      () => chooseOne(rows, "DUP@ex.com"),
      /2 people .* dup@ex\.com is 1, Dup@Ex\.com is 2\. Say which: --user 1/,
    );
  }
  assert.equal((await linkTo(database, { id: "1" })).email, "dup@ex.com");
  assert.equal((await linkTo(database, { id: "2" })).email, "person-2@akimbo.invalid");
  assert.deepEqual(ask(database, selectPerson("2")), [{ id: 2, email: "Dup@Ex.com" }]);
});

test("an invite is found by its address in any case, beside no person of that address", async () => {
  const database = openDatabase();
  makeOwner(database, "ada@example.com");
  const invite = database.prepare(
    `INSERT INTO invites (team_id, token_hash, email, is_addressed, role, invited_by, created_at, expires_at)
      VALUES (1, ?, ?, 1, 'MEMBER', 1, 1, 9000000000000000)`,
  );
  invite.run("a", "new@example.com");
  invite.run("b", "new@example.com");
  invite.run("c", "ada@example.com");
  assert.deepEqual(await linkTo(database, { email: "New@Example.com" }), {
    people: [{ id: null, email: "new@example.com" }],
    email: "new@example.com",
  });
  assert.equal((await linkTo(database, { email: "ADA@example.com" })).people.length, 1);
});
