import { claimVariable, createClaimCode } from "../core/claim-code.ts";
import { sealedPrefix } from "../core/encryption.ts";
import {
  createEncryptionKeys,
  createOwnKeys,
  createSigningKey,
  missingKeys,
  OWN_KEY_PREFIX,
} from "../core/instance-keys.ts";
import type { Cloud } from "./cloud.ts";
import { findRunning } from "./cloud-versions.ts";
import { execute, migrateAndExecute, type Place } from "./d1.ts";
import {
  findConfiguredDatabaseId,
  listQueueNames,
  type WranglerConfig,
  writeDeployConfig,
} from "./deploy-config.ts";
import { describeKeys } from "./made-keys.ts";
import { HAS_ACCOUNT, insertFirstOwner, toOwner } from "./owner.ts";
import { Problem } from "./program.ts";
import { findVersion, putLive, sayWayBack } from "./put-live.ts";
import { createLink } from "./sign-in-links.ts";
import { sql } from "./sql.ts";
import { createToken, insertToken } from "./tokens.ts";
import { type BackupWish, backUpFirst } from "./upgrade-backup.ts";
import { checkVars, type Vars } from "./vars.ts";

export interface Dialog {
  say(line: string): void;
  /** What is said appears on the owner's screen, and is kept in no log. */
  isTerminal: boolean;
  askStorageKey(): Promise<StorageKey | null>;
  /**
   * Returns null without a terminal and without AKIMBO_OWNER_EMAIL. The owner then claims the instance by a code.
   *
   * @throws Problem for a malformed address
   */
  askOwnerEmail(): Promise<string | null>;
}

export interface StorageKey {
  accessKeyId: string;
  secretAccessKey: string;
}

interface DeploymentOptions {
  stateDir: string;
  acceptsNewKeys: boolean;
  backup: BackupWish;
  /** How long each step of an upgrade is watched. */
  watchSeconds: number;
}

/**
 * Repeated runs are safe. `signInPath` is the path of a single-use sign-in link for the owner; an instance without an
 * owner has a `claimCode` instead.
 *
 * @throws Problem when a step fails, or when stored logins would become unreadable
 */
export async function runDeployment(
  cloud: Cloud,
  config: WranglerConfig,
  dialog: Dialog,
  options: DeploymentOptions,
) {
  checkProductionVars(config);
  const databaseId = await prepareDatabase(cloud, config, dialog);
  config = await withEndpoint(cloud, config, dialog);
  const deployConfig = await writeDeployConfig(config, databaseId, options.stateDir);
  const place = { kind: "remote", config: deployConfig } as const;
  const running = await findRunning(config.name);
  if (running) {
    await sayWayBack(deployConfig, dialog.say);
    const runningVersion = await findVersion(config, options.stateDir);
    await backUpFirst({ place, wish: options.backup, runningVersion }, dialog.say);
  }
  const contents = await migrateAndRead(place);
  dialog.say("✓ Database is up to date");
  await prepareBucket(cloud, config.r2_buckets[0].bucket_name, dialog);
  await prepareQueues(cloud, listQueueNames(config), dialog);
  const present = await cloud.listSecrets(config.name);
  const keys = judgeKeys(present, contents);
  if (keys === "lost" && !options.acceptsNewKeys) {
    throw new Problem(lostKeysMessage(contents.logins));
  }
  const email = contents.users === 0 ? await dialog.askOwnerEmail() : null;
  const claim = contents.users === 0 && !email ? await createClaim() : null;
  if (claim) await writeDeployConfig(config, databaseId, options.stateDir, claim.variable);
  const keepsOwnKeys = keys === "own" && !options.acceptsNewKeys;
  if (keepsOwnKeys) dialog.say("✓ The instance keeps the keys that it made itself");
  const newKeys = keepsOwnKeys ? {} : await createMissingKeys(present ?? []);
  const secrets = { ...newKeys, ...(await askStorageKey(present ?? [], dialog)) };
  // Before they are set: a later step may fail, and the next deployment would find them and say nothing.
  const words = describeKeys(newKeys, dialog.isTerminal);
  if (words) dialog.say(words);
  const deployment = { config, deployConfig, secrets, running };
  const { stateDir, watchSeconds } = options;
  const addresses = await putLive(cloud, deployment, { say: dialog.say, stateDir, watchSeconds });
  if (claim) return { addresses, claimCode: claim.code };
  const firstToken = email && (await createFirstOwner(place, email));
  const { path } = await createLink(place, null);
  return { addresses, firstToken, signInPath: path };
}

async function createClaim() {
  const code = createClaimCode();
  return { code, variable: await claimVariable(code, new Date()) };
}

/**
 * `own` says that the instance made its keys itself and keeps them. `lost` says that logins are stored which no key of
 * the Worker can read.
 */
function judgeKeys(
  present: string[] | null,
  { users, logins, ownLogins }: Contents,
): "set" | "own" | "lost" {
  if (present?.includes("ENCRYPTION_KEYS")) return "set";
  // The keys of an instance end with its Worker.
  if (logins > (present === null ? 0 : ownLogins)) return "lost";
  return present !== null && users > 0 ? "own" : "set";
}

/** Deployed secrets cannot be read back, so generated keys replace the secrets in this check. */
function checkProductionVars({ vars }: WranglerConfig): void {
  const texts: Vars = {};
  for (const [name, value] of Object.entries(vars)) texts[name] = String(value);
  const keys = { ENCRYPTION_KEYS: createEncryptionKeys(), SIGNING_KEY: createSigningKey() };
  checkVars({ ...texts, ...keys });
}

async function withEndpoint(cloud: Cloud, config: WranglerConfig, { say }: Dialog) {
  if (config.vars.STORAGE_ENDPOINT) return config;
  const accountId = config.account_id ?? (await cloud.findAccountId());
  if (!accountId) {
    say(
      "! The bucket's address is not known, and large uploads stay off. Set CLOUDFLARE_ACCOUNT_ID, or STORAGE_ENDPOINT under [vars].",
    );
    return config;
  }
  const bucket = config.r2_buckets[0].bucket_name;
  const STORAGE_ENDPOINT = `https://${accountId}.r2.cloudflarestorage.com/${bucket}`;
  return { ...config, vars: { ...config.vars, STORAGE_ENDPOINT } };
}

async function prepareDatabase(cloud: Cloud, config: WranglerConfig, dialog: Dialog) {
  const name = config.d1_databases[0].database_name;
  const existingId = findConfiguredDatabaseId(config) ?? (await cloud.findDatabase(name));
  const id = existingId ?? (await cloud.createDatabase(name));
  dialog.say(`✓ Database ${name} ${existingId ? "is there" : "created"}`);
  return id;
}

async function prepareBucket(cloud: Cloud, name: string, dialog: Dialog): Promise<void> {
  const bucket = await cloud.findBucket(name);
  if (!bucket) await cloud.createBucket(name);
  dialog.say(`✓ Bucket ${name} ${bucket ? "is there" : "created"}`);
  if (bucket?.cors) {
    const missing = missingInCors(bucket.cors);
    if (missing.length > 0) {
      dialog.say(
        `! The CORS rules of ${name} are your own. For uploads from browsers, one of them must also ${missing.join(", ")}.`,
      );
    }
    return;
  }
  const refusal = await cloud.setCors(name);
  dialog.say(
    refusal === null
      ? "✓ Bucket accepts uploads from browsers"
      : `! The CORS rules of ${name} could not be set. Until they are, browsers cannot upload to it; everything else works. Let your API token edit R2 and deploy again.\n  ${refusal.replaceAll("\n", "\n  ")}`,
  );
}

const NEEDED_IN_CORS: readonly [RegExp, string][] = [
  [/^allowed_methods:.*\bPUT\b/m, "allow PUT"],
  [
    /^allowed_headers:(?:.*\*|(?=.*\bcontent-type\b).*\bif-none-match\b)/im,
    "allow the headers content-type and if-none-match",
  ],
  [/^exposed_headers:.*\betag\b/im, "expose ETag"],
];

/** Returns what browser uploads need and the best CORS rule lacks. */
function missingInCors(rules: string): string[] {
  const each = rules
    .split(/\n\s*\n/)
    .map((rule) => NEEDED_IN_CORS.flatMap(([present, what]) => (present.test(rule) ? [] : [what])));
  return each.reduce((least, missing) => (missing.length < least.length ? missing : least));
}

async function prepareQueues(cloud: Cloud, names: string[], dialog: Dialog): Promise<void> {
  const present = await cloud.findQueues(names);
  for (const name of names) {
    const isThere = present.has(name);
    if (!isThere) await cloud.createQueue(name);
    dialog.say(`✓ Queue ${name} ${isThere ? "is there" : "created"}`);
  }
}

interface Contents {
  users: number;
  logins: number;
  /** Logins that are encrypted with a key which an instance made itself. */
  ownLogins: number;
}

async function migrateAndRead(place: Place): Promise<Contents> {
  const [users, logins, own] = await migrateAndExecute(place, [
    sql`SELECT count(*) AS count FROM users WHERE ${HAS_ACCOUNT}`,
    sql`SELECT count(*) AS count FROM accounts WHERE credentials IS NOT NULL`,
    sql`SELECT count(*) AS count FROM accounts
      WHERE substr(credentials, 1, ${OWN_PREFIX.length}) = ${OWN_PREFIX}`,
  ]);
  const countOf = (rows: typeof users) => Number(rows?.[0]?.count);
  return { users: countOf(users), logins: countOf(logins), ownLogins: countOf(own) };
}

const OWN_PREFIX = sealedPrefix(OWN_KEY_PREFIX).slice(0, -1);

const lostKeysMessage = (logins: number): string =>
  [
    `The database holds ${logins} encrypted logins, but the Worker has no ENCRYPTION_KEYS.`,
    "If you have the old keys, set them again and deploy:",
    "  npx wrangler secret put ENCRYPTION_KEYS",
    "If they are lost, `npm run deploy -- --new-keys` makes new ones; those accounts must then be",
    "connected again.",
  ].join("\n");

/** An existing secret is never replaced. */
async function createMissingKeys(present: string[]): Promise<Record<string, string>> {
  const existing = Object.fromEntries(present.map((name) => [name, "set"]));
  const keys = await createOwnKeys();
  return Object.fromEntries(missingKeys(existing).map((name) => [name, keys[name]]));
}

async function askStorageKey(present: string[], dialog: Dialog): Promise<Record<string, string>> {
  if (present.includes("R2_ACCESS_KEY_ID") && present.includes("R2_SECRET_ACCESS_KEY")) return {};
  const key = await dialog.askStorageKey();
  if (!key) return {};
  return { R2_ACCESS_KEY_ID: key.accessKeyId, R2_SECRET_ACCESS_KEY: key.secretAccessKey };
}

async function createFirstOwner(place: Place, email: string): Promise<string> {
  const token = createToken();
  const at = new Date();
  await execute(place, [
    ...insertFirstOwner(toOwner(email), at),
    await insertToken({ token, name: "First token", scopes: ["*"], teamId: null }, email, at),
  ]);
  return token;
}
