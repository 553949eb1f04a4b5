import {
  createEncryptionKeys,
  createOwnKeys,
  createSigningKey,
  missingKeys,
} from "../core/instance-keys.ts";
import type { Cloud } from "./cloud.ts";
import { execute, migrateAndExecute, type Place } from "./d1.ts";
import {
  findConfiguredDatabaseId,
  listQueueNames,
  type WranglerConfig,
  writeDeployConfig,
} from "./deploy-config.ts";
import { HAS_ACCOUNT, insertFirstOwner, toOwner } from "./owner.ts";
import { Problem } from "./program.ts";
import { createLink } from "./sign-in-links.ts";
import { sql } from "./sql.ts";
import { createToken, insertToken } from "./tokens.ts";
import { checkVars, type Vars } from "./vars.ts";

export interface Dialog {
  say(line: string): void;
  askStorageKey(): Promise<StorageKey | null>;
  /** @throws Problem without an address */
  askOwnerEmail(): Promise<string>;
}

export interface StorageKey {
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Repeated runs are safe. `signInPath` is the path of a single-use sign-in link for the owner.
 *
 * @throws Problem when a step fails, or when stored logins would become unreadable
 */
export async function runDeployment(
  cloud: Cloud,
  config: WranglerConfig,
  dialog: Dialog,
  options: { stateDir: string; acceptsNewKeys: boolean },
) {
  checkProductionVars(config);
  const databaseId = await prepareDatabase(cloud, config, dialog);
  config = await withEndpoint(cloud, config, dialog);
  const deployConfig = await writeDeployConfig(config, databaseId, options.stateDir);
  const place: Place = { kind: "remote", config: deployConfig };
  const contents = await migrateAndRead(place);
  dialog.say("✓ Database is up to date");
  await prepareBucket(cloud, config.r2_buckets[0].bucket_name, dialog);
  await prepareQueues(cloud, listQueueNames(config), dialog);
  const present = await cloud.listSecrets(config.name);
  if (contents.logins > 0 && !present.includes("ENCRYPTION_KEYS") && !options.acceptsNewKeys) {
    throw new Problem(lostKeysMessage(contents.logins));
  }
  const email = contents.users === 0 ? await dialog.askOwnerEmail() : null;
  const secrets = await chooseSecrets(present, dialog);
  const addresses = await cloud.deploy(deployConfig, secrets);
  dialog.say("✓ Worker deployed");
  const firstToken = email && (await createFirstOwner(place, email));
  const { path } = await createLink(place, null);
  return { addresses, firstToken, signInPath: path };
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

async function migrateAndRead(place: Place): Promise<{ users: number; logins: number }> {
  const [users, logins] = await migrateAndExecute(place, [
    sql`SELECT count(*) AS count FROM users WHERE ${HAS_ACCOUNT}`,
    sql`SELECT count(*) AS count FROM accounts WHERE credentials IS NOT NULL`,
  ]);
  return { users: Number(users?.[0]?.count), logins: Number(logins?.[0]?.count) };
}

const lostKeysMessage = (logins: number): string =>
  [
    `The database holds ${logins} encrypted logins, but the Worker has no ENCRYPTION_KEYS.`,
    "If you have the old keys, set them again and deploy:",
    "  npx wrangler secret put ENCRYPTION_KEYS",
    "If they are lost, `npm run deploy -- --new-keys` makes new ones; those accounts must then be",
    "connected again.",
  ].join("\n");

/** An existing secret is never replaced. */
async function chooseSecrets(present: string[], dialog: Dialog): Promise<Record<string, string>> {
  const existing = Object.fromEntries(present.map((name) => [name, "set"]));
  const keys = await createOwnKeys();
  const secrets: Record<string, string> = Object.fromEntries(
    missingKeys(existing).map((name) => [name, keys[name]]),
  );
  if (!present.includes("R2_ACCESS_KEY_ID") || !present.includes("R2_SECRET_ACCESS_KEY")) {
    const key = await dialog.askStorageKey();
    if (key) {
      secrets.R2_ACCESS_KEY_ID = key.accessKeyId;
      secrets.R2_SECRET_ACCESS_KEY = key.secretAccessKey;
    }
  }
  return secrets;
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
