import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { runProject, runWrangler } from "./programs.ts";
import { type Edge, startEdge } from "./start.ts";

const EMAIL = "o'neil@example.com";

let stateDir: string;
let edge: Edge;
/** Calls that the stand-in for Cloudflare does not know. */
const unknown: string[] = [];

before(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "akimbo-deploy-"));
  edge = await startEdge();
});

after(async () => {
  await edge.stop();
  await rm(stateDir, { recursive: true });
});

const run = (file: string, args: string[] = [], env: Record<string, string> = {}) =>
  runProject(edge, file, args, { STATE_DIR: stateDir, ...env });

const ID = /(?<=\/)[0-9a-f]{32}(?=\/|$)/g;
const NO_ROUTE = 7_003;

/** Returns the calls since the last time that created or set something, without SQL and backups; ids are left open. */
async function takeChanges(): Promise<string[]> {
  const calls = await edge.account.takeCalls();
  unknown.push(...calls.filter(({ code }) => code === NO_ROUTE).map(({ path }) => path));
  return calls
    .filter(({ method, path }) => method !== "GET" && !/\/query$|\/objects\//.test(path))
    .map(({ method, path }) => `${method} ${path.replace(/\?.*/, "").replaceAll(ID, ":")}`);
}

/** Returns whom the links in the output sign in; nobody for one that is not stored. */
function findLinks(output: string): Promise<unknown[]> {
  const origin = "https://akimbo\\.example(?:\\.workers\\.dev|\\.com)";
  const links = output.matchAll(new RegExp(`${origin}/sign-in/link\\?token=([0-9a-f]{32})`, "g"));
  return Promise.all(
    [...links].map(async ([, token = ""]) => {
      const identifier = `magic-link:${createHash("sha256").update(token).digest("hex")}`;
      const [row] = await edge.account.query(
        "SELECT value, expires_at FROM verifications WHERE identifier = ?",
        [identifier],
      );
      assert.ok(Math.abs(Number(row?.expires_at) - Date.now() - 3_600_000) < 60_000);
      const { type, email } = JSON.parse(String(row?.value));
      assert.equal(type, "magic-link");
      return email;
    }),
  );
}

async function corsOfBucket(): Promise<object | null | undefined> {
  return (await edge.account.state()).buckets["akimbo-media"]?.cors;
}

const setCors = (rules: object) => edge.account.call("PUT", "/r2/buckets/akimbo-media/cors", rules);

const setSecret = (name: string, text: string) =>
  edge.account.call("PUT", "/workers/scripts/akimbo/secrets", { name, text, type: "secret_text" });

const CREATIONS = [
  "POST /d1/database",
  "POST /r2/buckets",
  "PUT /r2/buckets/akimbo-media/cors",
  "POST /queues",
  "POST /queues",
  "POST /queues",
];

test("a malformed address of the owner ends it: says so, and deploys nothing", async () => {
  const { code, output } = await run("src/cli/deploy.ts", [], { AKIMBO_OWNER_EMAIL: "nobody" });
  assert.equal(code, 1, output);
  assert.match(output, /"nobody" is not an e-mail address/);
  assert.deepEqual(await takeChanges(), CREATIONS);
  assert.equal((await edge.account.secrets()).size, 0);
});

test("then deploys with fresh keys, and creates the owner with a first token", async () => {
  const { code, output } = await run("src/cli/deploy.ts", [], { AKIMBO_OWNER_EMAIL: EMAIL });
  assert.equal(code, 0, output);
  const version = (await edge.account.state()).scripts[0]?.versions[0];
  const files = new Set(version?.modules.map(({ name }) => name));
  const parts = [...files].filter((name) => /^parts\/.+\.js$/.test(name));
  assert.ok(parts.length > 100, `${parts.length} parts`);
  // A part that only passes on what another has, has no lines of its own to map.
  const folder = join(edge.folder, "versions", version?.id ?? "");
  const texts = await Promise.all(parts.map((name) => readFile(join(folder, name), "utf8")));
  const maps = texts.flatMap((text) => /^\/\/# sourceMappingURL=(\S+)/m.exec(text)?.[1] ?? []);
  assert.ok(maps.length > 100, `${maps.length} source maps`);
  for (const map of maps) assert.ok(files.has(`parts/${map}`), map);
  const changes = await takeChanges();
  for (const creation of CREATIONS) assert.ok(!changes.includes(creation), `${creation} again`);
  assert.ok(changes.includes("PUT /workers/scripts/akimbo"));
  assert.deepEqual([...(await edge.account.secrets()).keys()].sort(), [
    "BLUESKY_KEY",
    "ENCRYPTION_KEYS",
    "SIGNING_KEY",
    "VAPID_PRIVATE_KEY",
    "VAPID_PUBLIC_KEY",
  ]);
  assert.match(output, /! Made ENCRYPTION_KEYS, SIGNING_KEY, .+ They are not shown/);
  for (const value of (await edge.account.secrets()).values()) assert.ok(!output.includes(value));
  assert.match(output, /https:\/\/akimbo\.example\.workers\.dev\n/);
  assert.match(output, /kmb_[0-9a-f]{64}/);
  assert.deepEqual(await findLinks(output), [EMAIL]);
  const owner = await edge.account.query(
    `SELECT users.email, teams.slug, members.role, tokens.scopes FROM users
      JOIN teams ON teams.owner_id = users.id JOIN members ON members.user_id = users.id
      JOIN tokens ON tokens.user_id = users.id`,
  );
  assert.deepEqual(owner, [{ email: EMAIL, slug: "o-neil", role: "OWNER", scopes: '["*"]' }]);
});

test("a second deployment keeps what is there and adds the storage key it is given", async () => {
  const keys = await edge.account.secrets();
  const { code, output } = await run("src/cli/deploy.ts", [], {
    R2_ACCESS_KEY_ID: "an-id",
    R2_SECRET_ACCESS_KEY: "a-secret",
  });
  assert.equal(code, 0, output);
  assert.deepEqual(await takeChanges(), [
    "POST /workers/scripts/akimbo/assets-upload-session",
    "POST /workers/scripts/akimbo/versions",
    "POST /workers/scripts/akimbo/deployments",
    "PATCH /workers/scripts/akimbo/script-settings",
    "POST /workers/scripts/akimbo/subdomain",
    "PUT /workers/scripts/akimbo/schedules",
    "PUT /queues/:/consumers/:",
    "PUT /queues/:/consumers/:",
    "PUT /queues/:/consumers/:",
  ]);
  assert.deepEqual(
    await edge.account.secrets(),
    new Map([...keys, ["R2_ACCESS_KEY_ID", "an-id"], ["R2_SECRET_ACCESS_KEY", "a-secret"]]),
  );
  assert.doesNotMatch(output, /kmb_|ENCRYPTION_KEYS/);
  assert.deepEqual(await findLinks(output), [EMAIL]);
});

const isVersion = ({ method, path }: { method: string; path: string }): boolean =>
  method === "POST" && /\/scripts\/akimbo\/versions/.test(path);

test("an upgrade is backed up first, into the bucket", async () => {
  await edge.account.takeCalls();
  const { code, output } = await run("src/cli/deploy.ts");
  assert.equal(code, 0, output);
  const [, id = ""] = /✓ Backup (\S+) is stored/.exec(output) ?? [];
  assert.match(output, new RegExp(`cli -- restore --remote --from ${id} `));
  const [, wayBack = ""] = /npx wrangler (d1 time-travel restore .+)/.exec(output) ?? [];
  const manifest = `PUT /r2/buckets/akimbo-media/objects/backups/${id}/manifest.json`;
  const calls = await edge.account.takeCalls();
  const stored = calls.findIndex(({ method, path }) => `${method} ${path}` === manifest);
  assert.ok(stored >= 0 && stored < calls.findIndex(isVersion), `${stored}`);
  const [row] = await edge.account.query("SELECT id, rows FROM backups ORDER BY id DESC LIMIT 1");
  assert.equal(row?.id, id);
  const listed = await run("src/cli/akimbo.ts", ["restore", "--remote", "--list"]);
  assert.match(listed.output, new RegExp(`^${id}$`, "m"));
  const restored = await run("node_modules/wrangler/bin/wrangler.js", wayBack.split(" "));
  assert.equal(restored.code, 0, restored.output);
  const [last] = await edge.account.query("SELECT id FROM backups ORDER BY id DESC LIMIT 1");
  assert.notEqual(last?.id, id);
});

test("a backup that fails ends the upgrade, unless the owner does without", async () => {
  await takeChanges();
  const env = { BACKUP_ENDPOINT: "https://storage.example" };
  const { code, output } = await run("src/cli/deploy.ts", [], env);
  assert.equal(code, 1, output);
  assert.match(output, /nothing was changed\.\n.*its keys are needed.*-- --without-backup/s);
  assert.match(output, /--bookmark=/);
  assert.deepEqual(await takeChanges(), []);
  const without = await run("src/cli/deploy.ts", ["--without-backup"], env);
  assert.equal(without.code, 0, without.output);
  assert.match(without.output, /! No backup was made, because of --without-backup/);
});

test("a login that may not use the bucket upgrades without a backup, and says so", async () => {
  await takeChanges();
  await edge.account.forbid("PUT /r2/buckets/akimbo-media/objects/");
  const { code, output } = await run("src/cli/deploy.ts");
  await edge.account.forbid();
  assert.equal(code, 0, output);
  assert.match(
    output,
    /! No backup was made, because the bucket cannot be written.*Authentication/,
  );
  assert.match(output, /--bookmark=/);
  assert.ok((await takeChanges()).includes("POST /workers/scripts/akimbo/versions"));
});

const CORS = {
  rules: [
    {
      allowed: { origins: ["*"], methods: ["PUT"], headers: ["content-type", "if-none-match"] },
      exposeHeaders: ["ETag"],
      maxAgeSeconds: 3_600,
    },
  ],
};

test("pages of any origin may put files into the bucket, and read each ETag", async () => {
  assert.deepEqual(await corsOfBucket(), CORS);
});

test("CORS rules of the owner's stay, and what they lack is said", async () => {
  const pages = { origins: ["https://page.example"], methods: ["GET"], headers: ["Content-Type"] };
  const own = { rules: [{ allowed: pages, exposeHeaders: ["ETag"] }, { allowed: pages }] };
  await setCors(own);
  await takeChanges();
  const { code, output } = await run("src/cli/deploy.ts");
  assert.equal(code, 0, output);
  assert.match(
    output,
    /one of them must also allow PUT, allow the headers content-type and if-none-match\./,
  );
  assert.ok(!(await takeChanges()).includes("PUT /r2/buckets/akimbo-media/cors"));
  assert.deepEqual(await corsOfBucket(), own);
  await setCors(CORS);
});

test("a token that may not set CORS rules deploys all the rest, and says so", async () => {
  await edge.account.call("DELETE", "/r2/buckets/akimbo-media/cors");
  await edge.account.forbid("PUT /r2/buckets/akimbo-media/cors");
  const { code, output } = await run("src/cli/deploy.ts");
  await edge.account.forbid();
  assert.equal(code, 0, output);
  assert.match(
    output,
    /! The CORS rules of akimbo-media could not be set\.[^!✓]*Authentication error/,
  );
  assert.ok((await takeChanges()).includes("POST /workers/scripts/akimbo/versions"));
  assert.equal(await corsOfBucket(), null);
  await setCors(CORS);
});

test("a link is made for whoever may sign in, and for nobody else", async () => {
  const env = { AKIMBO_URL: "https://akimbo.example.com/api/v1" };
  await edge.account.query(
    `INSERT INTO invites (team_id, token_hash, email, is_addressed, role, invited_by, created_at, expires_at)
      VALUES (1, 'a', 'new@example.com', 1, 'MEMBER', 1, 1, 9e15),
        (1, 'b', 'late@example.com', 1, 'MEMBER', 1, 1, 2),
        (1, 'c', NULL, 0, 'MEMBER', 1, 1, 9e15), (1, 'd', NULL, 0, 'MEMBER', 1, 1, 2);
      INSERT INTO invite_addresses (invite_id, email, given_at)
        SELECT id, 'given@example.com', 1 FROM invites WHERE token_hash = 'c'
        UNION ALL SELECT id, 'too-late@example.com', 1 FROM invites WHERE token_hash = 'd'`,
  );
  const make = (...args: string[]) =>
    run("src/cli/akimbo.ts", ["signin-link", "--remote", ...args], env);
  const ofOwner = await make();
  assert.deepEqual(await findLinks(ofOwner.output), [EMAIL], ofOwner.output);
  for (const email of ["New@example.com", "Given@example.com"]) {
    const { output } = await make("--email", email);
    assert.deepEqual(await findLinks(output), [email.toLowerCase()], output);
  }
  for (const email of ["late@example.com", "too-late@example.com", "nobody@example.com"]) {
    const { code, output } = await make("--email", email);
    assert.equal(code, 1);
    assert.match(output, /Invite them first/);
  }
  const nowhere = await run("src/cli/akimbo.ts", ["signin-link", "--remote"], { AKIMBO_URL: "" });
  assert.match(nowhere.output, /AKIMBO_URL=/);
});

test("asks the account for nothing that the stand-in does not know", async () => {
  await takeChanges();
  assert.deepEqual(unknown, []);
});

test("leaves no secret behind in a file", async () => {
  const secrets = await edge.account.secrets();
  for (const name of await readdir(stateDir)) {
    if (!name.endsWith(".json")) continue;
    const text = await readFile(join(stateDir, name), "utf8");
    for (const secret of secrets.values()) assert.ok(!text.includes(secret), name);
  }
});

test("refuses to make new keys while logins are stored that need the old ones", async () => {
  await edge.account.query(
    `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status,
      credentials, connected_at) VALUES ('a', 1, 'bluesky', 'did', 'me', 'live', 'active', 'x', 1)`,
  );
  const key = (await edge.account.secrets()).get("ENCRYPTION_KEYS") ?? "";
  await edge.account.call("DELETE", "/workers/scripts/akimbo/secrets/ENCRYPTION_KEYS");
  await takeChanges();
  const { code, output } = await run("src/cli/deploy.ts");
  const changes = await takeChanges();
  await setSecret("ENCRYPTION_KEYS", key);
  assert.equal(code, 1);
  assert.match(output, /1 encrypted logins?.*ENCRYPTION_KEYS/);
  assert.deepEqual(changes, []);
});

test("an instance that made its own keys keeps them", async () => {
  await edge.account.query("UPDATE accounts SET credentials = 'v1.own_0a1b2c3d.x.y'");
  const secrets = await edge.account.secrets();
  for (const name of secrets.keys()) {
    await edge.account.call("DELETE", `/workers/scripts/akimbo/secrets/${name}`);
  }
  const { code, output } = await run("src/cli/deploy.ts");
  assert.equal(code, 0, output);
  assert.match(output, /keeps the keys that it made itself/);
  assert.equal((await edge.account.secrets()).size, 0);
  for (const [name, text] of secrets) await setSecret(name, text);
  await edge.account.query("UPDATE accounts SET credentials = 'x'");
  await takeChanges();
});

test("tokens of the deployed database can be created and revoked", async () => {
  const created = await run("src/cli/akimbo.ts", [
    ...["token", "create", "--remote", "--name", "it's; --", "--scopes", "posts:read"],
    ...["--team", "o-neil"],
  ]);
  assert.equal(created.code, 0, created.output);
  const list = await run("src/cli/akimbo.ts", ["token", "list", "--remote"]);
  assert.match(list.output, /2 +it's; -- +kmb_\S+ +o'neil@example\.com +o-neil .* posts:read/);
  const revoked = await run("src/cli/akimbo.ts", ["token", "revoke", "2", "--remote"]);
  assert.equal(revoked.code, 0, revoked.output);
});

test("once the owner has left, a deployment is the next person's; where nobody is left it makes an owner", async () => {
  const close = "UPDATE users SET email = 'deleted-' || id || '@akimbo.invalid'";
  await edge.account.query("INSERT INTO users (email, created_at) VALUES ('next@example.com', 1)");
  await edge.account.query(
    `${close} WHERE email <> 'next@example.com'; UPDATE teams SET deleted_at = 1`,
  );
  const env = { AKIMBO_OWNER_EMAIL: EMAIL };
  const next = await run("src/cli/deploy.ts", [], env);
  assert.deepEqual(await findLinks(next.output), ["next@example.com"], next.output);
  assert.doesNotMatch(next.output, /kmb_/);
  await edge.account.query(close);
  const unasked = await run("src/cli/deploy.ts");
  assert.equal(unasked.code, 0, unasked.output);
  const [, claimCode = ""] = /The code, shown this once: (\S+)/.exec(unasked.output) ?? [];
  assert.match(unasked.output, /\/claim\n/);
  const { vars } = JSON.parse(await readFile(join(stateDir, "deploy.json"), "utf8"));
  const [hash, expiresAt] = vars.CLAIM_CODE.split(":");
  const code = claimCode.replaceAll("-", "");
  assert.equal(hash, createHash("sha256").update(code).digest("hex"));
  assert.ok(Math.abs(Number(expiresAt) - Date.now() - 86_400_000) < 60_000);
  const made = await run("src/cli/deploy.ts", [], env);
  assert.deepEqual(await findLinks(made.output), [EMAIL], made.output);
  assert.match(made.output, /kmb_[0-9a-f]{64}/);
});

test("the Worker is told the bucket's address, and nothing of the local one", async () => {
  const config = JSON.parse(await readFile(join(stateDir, "deploy.json"), "utf8"));
  assert.equal(config.vars.STORAGE_ENDPOINT, "https://acc.r2.cloudflarestorage.com/akimbo-media");
  assert.deepEqual(config.r2_buckets, [{ binding: "MEDIA", bucket_name: "akimbo-media" }]);
});

test("the generated configuration passes wrangler's dry run", async () => {
  const config = join(stateDir, "deploy.json");
  const { code, output } = await runWrangler(edge, ["deploy", "--dry-run", "--config", config]);
  assert.equal(code, 0, output);
  assert.match(output, /env\.DB \(akimbo\)/);
});
