// Deploys this folder to your Cloudflare account: `npm run deploy`. It needs nothing but wrangler, may be repeated, and
// runs without questions. What it could not make is said at the end, and the Worker runs without it.
// `npm run deploy -- --back` gives all calls to the version that was deployed before.
import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { compareFolder, openSigned, RELEASE_FILE, readOwnConfig } from "./release.mjs";

// Not `import.meta.dirname`, which the Node versions that are refused below may lack.
const HERE = dirname(fileURLToPath(import.meta.url));
const CONFIG = join(HERE, "wrangler.deploy.json");
const REPORT = join(HERE, ".wrangler-report");
const WRANGLER = join(HERE, "node_modules", "wrangler", "bin", "wrangler.js");

const CODE_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const DAY_MS = 86_400_000;

/** What a deployment may leave out, how wrangler's error names it, and what the Worker does without it. */
const OPTIONAL = {
  queues: {
    error: /\/queues\b|\bqueues?\b/i,
    without: (config) => ({ ...config, queues: undefined }),
    text: "Queues are missing: this login may not make them. Posts go out up to a minute late.",
  },
  r2_buckets: {
    error: /\/r2\b|\bR2\b|\bbucket\b/i,
    without: (config) => ({ ...config, r2_buckets: undefined }),
    text: "Storage is missing: enable R2 in the Cloudflare dashboard, which asks for a payment method. Until then, posts have no files.",
  },
  images: {
    error: /\bimages\b/i,
    without: (config) => ({ ...config, images: undefined }),
    text: "The Images binding is missing: pictures are not converted.",
  },
};

const MEND =
  "To mend this, in a copy of this folder: npm install && npx wrangler login && npm run deploy";

const readJson = (name) => JSON.parse(readFileSync(join(HERE, name), "utf8"));

/** `akimbo-publish` where there is no name; the Worker knows a queue by the end of its name. */
function queueName(found, expected) {
  const end = expected.replace(/^akimbo-/, "");
  if (!found) return expected;
  return found.endsWith(end) ? found : `${found}-${end}`;
}

/** What belongs to the release, whatever wrangler.jsonc says. */
const RELEASED = [
  "main",
  "no_bundle",
  "rules",
  "upload_source_maps",
  "compatibility_date",
  "compatibility_flags",
  "assets",
  "images",
  "durable_objects",
  "migrations",
  "triggers",
];

/**
 * The configuration of this release, with what wrangler.jsonc says about your account: names, ids, variables, routes.
 * A name that the provisioning lost is the default again.
 */
function mergeConfig(defaults, own) {
  const named = (list, binding) => (list ?? []).find((one) => one.binding === binding) ?? {};
  const queues = new Map(
    defaults.queues.producers.map(({ binding, queue }) => [
      queue,
      queueName(named(own.queues?.producers, binding).queue, queue),
    ]),
  );
  const rename = (entry, key) => (entry[key] ? { [key]: queues.get(entry[key]) } : {});
  return {
    ...defaults,
    ...own,
    ...Object.fromEntries(RELEASED.map((key) => [key, defaults[key]])),
    name: own.name || defaults.name,
    vars: { ...defaults.vars, ...own.vars },
    d1_databases: defaults.d1_databases.map((one) => {
      const { database_name: name, database_id: id } = named(own.d1_databases, one.binding);
      return { ...one, database_name: name || one.database_name, database_id: id || "" };
    }),
    r2_buckets: defaults.r2_buckets.map((one) => ({
      ...one,
      bucket_name: named(own.r2_buckets, one.binding).bucket_name || one.bucket_name,
    })),
    queues: {
      producers: defaults.queues.producers.map((one) => ({ ...one, ...rename(one, "queue") })),
      consumers: defaults.queues.consumers.map((one) => ({
        ...one,
        ...rename(one, "queue"),
        ...rename(one, "dead_letter_queue"),
      })),
    },
  };
}

function createCode() {
  const letters = [...randomBytes(16)].map((byte) => CODE_LETTERS[byte % CODE_LETTERS.length]);
  return letters.join("").replaceAll(/.{4}(?!$)/g, "$&-");
}

const claimVariable = (code) =>
  `${createHash("sha256").update(code.replaceAll("-", "")).digest("hex")}:${Date.now() + DAY_MS}`;

const LOGGED_OUT = /set a CLOUDFLARE_API_TOKEN environment variable|You are not authenticated/;

/**
 * Runs wrangler, shows its output unless it is quiet, and returns it. Its errors are shown at its end, unless it only
 * misses a login.
 */
function runWrangler(args, isQuiet = false) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [WRANGLER, ...args], {
      cwd: HERE,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, WRANGLER_OUTPUT_FILE_PATH: REPORT },
    });
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      if (!isQuiet) process.stdout.write(text);
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      output += text;
      errors += text;
    });
    child.on("close", (code) => {
      const isLoggedOut = code !== 0 && LOGGED_OUT.test(stripVTControlCharacters(output));
      if (!isLoggedOut && !isQuiet) process.stderr.write(errors);
      resolve({ code, output, isLoggedOut });
    });
  });
}

/** Says how the database comes back to the moment before this deployment. A new database has no such moment. */
async function sayHowToGoBack({ d1_databases: [{ database_name: name }] }) {
  const info = ["d1", "time-travel", "info", name, "--json", "--config", CONFIG];
  const { code, output } = await runWrangler(info, true);
  const bookmark = code === 0 && /"bookmark":\s*"([^"]+)"/.exec(output)?.[1];
  if (!bookmark) return;
  console.log(
    `The database can come back to this moment, for 30 days (7 on the free plan):\n  npx wrangler d1 time-travel restore ${name} --bookmark=${bookmark}\n`,
  );
}

/** The lines of wrangler's output that say what went wrong. */
const complaintOf = (output) => output.slice(Math.max(output.indexOf("[ERROR]"), 0));

/** Addresses at which the Worker answers. */
function readTargets() {
  if (!existsSync(REPORT)) return [];
  const lines = readFileSync(REPORT, "utf8").split("\n").filter(Boolean);
  const targets = lines.flatMap((line) => JSON.parse(line).targets ?? []);
  return targets.filter((target) => target.startsWith("https://"));
}

/** Null when the instance could not be asked. */
async function isClaimed(address) {
  try {
    const response = await fetch(`${address}/claim`, {
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(20_000),
    });
    return (await response.json()).data?.claimed ?? null;
  } catch {
    return null;
  }
}

/** Without keys in wrangler.jsonc, the folder is not a release of others. */
async function checkRelease({ RELEASE_KEYS: keys } = {}, isUnsigned = false) {
  if (!keys || isUnsigned) return [];
  if (!existsSync(join(HERE, RELEASE_FILE))) return [`${RELEASE_FILE} is missing.`];
  try {
    const release = await openSigned(readFileSync(join(HERE, RELEASE_FILE), "utf8"), keys);
    return await compareFolder(HERE, release);
  } catch (error) {
    return [error.message];
  }
}

/** Gives all calls to the version that was deployed before. The database stays as it is. */
async function goBack(own) {
  const config = mergeConfig(readJson("wrangler.defaults.json"), own);
  writeFileSync(CONFIG, `${JSON.stringify(config, null, 2)}\n`);
  const message = ["--message", "npm run deploy -- --back"];
  const { code } = await runWrangler(["rollback", "--yes", ...message, "--config", CONFIG]);
  return code === 0 ? 0 : 1;
}

async function main() {
  const { back, unsigned } = parseArgs({
    options: { back: { type: "boolean" }, unsigned: { type: "boolean" } },
  }).values;
  const own = await readOwnConfig(HERE);
  if (back) return goBack(own);
  const changed = await checkRelease(own.vars, unsigned);
  if (changed.length > 0) {
    for (const text of changed.slice(0, 10)) console.error(text);
    console.error(
      "This is not the signed release, so nothing was deployed. `npm run update` brings files back that are missing or changed; `node deploy.mjs --unsigned` deploys the folder as it is.",
    );
    return 1;
  }
  const code = createCode();
  let config = mergeConfig(readJson("wrangler.defaults.json"), own);
  config.vars.CLAIM_CODE = claimVariable(code);
  const writeConfig = () => writeFileSync(CONFIG, `${JSON.stringify(config, null, 2)}\n`);
  writeConfig();
  await sayHowToGoBack(config);
  const missing = [];
  let result;
  for (;;) {
    writeConfig();
    rmSync(REPORT, { force: true });
    result = await runWrangler(["deploy", "--config", CONFIG]);
    if (result.code === 0) break;
    if (result.isLoggedOut) {
      throw new Error(
        "You are not logged in to Cloudflare. Run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.",
      );
    }
    const complaint = complaintOf(result.output);
    if (/partially updated/i.test(complaint)) {
      missing.push(
        `The Worker runs, but not all of its triggers could be set: the timer or the queues. To mend this: npx wrangler login && npx wrangler triggers deploy --config wrangler.deploy.json`,
      );
      break;
    }
    const lacking = Object.entries(OPTIONAL).find(
      ([name, { error }]) => config[name] && error.test(complaint),
    );
    if (!lacking) {
      console.error(`\nThe deployment failed; wrangler's words are above. ${hintFor(complaint)}`);
      return 1;
    }
    const [name, { without, text }] = lacking;
    missing.push(text);
    config = without(config);
    console.log(`\nTrying again without ${name}.`);
  }
  const address = config.vars.PUBLIC_URL || readTargets()[0] || null;
  console.log(`\nAkimbo is deployed${address ? ` at ${address}` : ""}.`);
  for (const text of missing) console.log(`! ${text}`);
  if (missing.length > 0) console.log(MEND);
  const claimed = address ? await isClaimed(address) : null;
  if (claimed === true) return 0;
  console.log(
    claimed === null
      ? "If it has no owner yet, claim it within 24 hours:"
      : "It has no owner yet. Claim it within 24 hours:",
  );
  console.log(`  Address  ${address ?? ""}/claim`);
  console.log(`  Code     ${code}`);
  return 0;
}

function hintFor(complaint) {
  if (/\/d1\b|\bD1\b/.test(complaint)) {
    return "Akimbo needs a D1 database, and this login may not make one. Make it in the dashboard, put its id into wrangler.jsonc as database_id, and deploy again.";
  }
  return "Mend what they say, and deploy again.";
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(REPORT, { force: true });
}
