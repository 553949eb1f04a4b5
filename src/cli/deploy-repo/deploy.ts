import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { claimVariable, createClaimCode } from "../../core/claim-code.ts";
import type { RepoConfig } from "./config.ts";
import { judgeFailure, OPTIONAL } from "./failure.ts";
import { compareFolder, openSigned, RELEASE_FILE } from "./release.ts";
import { runInFolder } from "./run.ts";
import { CONFIG, HERE, REPORT, readConfig, runWrangler, writeConfig } from "./wrangler.ts";

// `npm run deploy` in the folder of the deploy button: brings the folder to the owner's account. It may be repeated, and
// asks nothing. What it could not make is said at the end, and the Worker runs without it. `npm run deploy -- --back`
// gives all calls to the version that was deployed before.

const AGAIN_AFTER_MS = 5_000;

const MEND =
  "To mend this, in a copy of this folder: npm install && npx wrangler login && npm run deploy";

/** Says how the database comes back to the moment before this deployment. A new database has no such moment. */
async function sayHowToGoBack({ d1_databases }: RepoConfig): Promise<void> {
  const name = d1_databases[0]?.database_name ?? "";
  const info = ["d1", "time-travel", "info", name, "--json", "--config", CONFIG];
  const { code, stdout } = await runWrangler(info, true);
  const bookmark = code === 0 && /"bookmark":\s*"([^"]+)"/.exec(stdout)?.[1];
  if (!bookmark) return;
  console.log(
    `The database can come back to this moment, for 30 days (7 on the free plan):\n  npx wrangler d1 time-travel restore DB --bookmark=${bookmark}\n`,
  );
}

/** Addresses at which the Worker answers. */
function readTargets(): string[] {
  if (!existsSync(REPORT)) return [];
  const lines = readFileSync(REPORT, "utf8").split("\n").filter(Boolean);
  const targets: string[] = lines.flatMap((line) => JSON.parse(line).targets ?? []);
  return targets.filter((target) => target.startsWith("https://"));
}

/** Null when the instance could not be asked. */
async function isClaimed(address: string): Promise<boolean | null> {
  try {
    const response = await fetch(`${address}/claim`, {
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(20_000),
    });
    const { data } = (await response.json()) as { data?: { claimed?: boolean } };
    return data?.claimed ?? null;
  } catch {
    return null;
  }
}

/** Without keys in wrangler.jsonc, the folder is not a release of others. */
async function checkRelease(
  { RELEASE_KEYS: keys }: Record<string, string> = {},
  isUnsigned = false,
): Promise<string[]> {
  if (!keys || isUnsigned) return [];
  if (!existsSync(join(HERE, RELEASE_FILE))) return [`${RELEASE_FILE} is missing.`];
  try {
    const release = await openSigned(readFileSync(join(HERE, RELEASE_FILE), "utf8"), keys);
    return await compareFolder(HERE, release);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Gives all calls to the version that was deployed before. The database stays as it is. */
async function goBack(config: RepoConfig): Promise<number> {
  writeConfig(config);
  const message = ["--message", "npm run deploy -- --back"];
  const { code } = await runWrangler(["rollback", "--yes", ...message, "--config", CONFIG]);
  return code === 0 ? 0 : 1;
}

/**
 * Deploys without the bindings that Cloudflare refuses. Returns what is missing then, in sentences; null when the
 * deployment failed, and the reason was said.
 */
async function deploy(config: RepoConfig): Promise<string[] | null> {
  const missing: string[] = [];
  let isRepeated = false;
  let isUploaded = false;
  for (;;) {
    writeConfig(config);
    if (!isUploaded) rmSync(REPORT, { force: true });
    // A second upload would be a version more, and `--back` would lead to the same release.
    const command = isUploaded ? ["triggers", "deploy"] : ["deploy"];
    const { code, stdout, complaint } = await runWrangler([...command, "--config", CONFIG]);
    if (code === 0) return missing;
    const isPartial = /partially updated/i.test(complaint);
    isUploaded ||= isPartial || /^Uploaded \S+ \(/m.test(stdout);
    const failure = judgeFailure(complaint, (name) => Boolean(config[name]));
    if (failure === "passing") {
      if (isRepeated) {
        console.error(
          `\nCloudflare's API failed in passing, also at a second attempt; wrangler's words are above. ${isUploaded ? "The new version runs, and some of its triggers are as before." : "Nothing was deployed."} Nothing was left out for it. ${isUploaded ? "Set them: npx wrangler triggers deploy --config wrangler.deploy.json" : "Deploy again: npm run deploy"}`,
        );
        return null;
      }
      isRepeated = true;
      console.log("\nThis may pass. Trying the same deployment once more.");
      await setTimeout(AGAIN_AFTER_MS);
      continue;
    }
    if (isPartial) {
      missing.push(
        "The Worker runs, but not all of its triggers could be set: the timer or the queues.",
      );
      return missing;
    }
    if (failure === "other") {
      console.error(`\nThe deployment failed; wrangler's words are above. ${hintFor(complaint)}`);
      return null;
    }
    missing.push(OPTIONAL[failure].text);
    isUploaded = false;
    config = { ...config, [failure]: undefined };
    console.log(`\nTrying again without ${failure}.`);
  }
}

function hintFor(complaint: string): string {
  if (/\/d1\b|\bD1\b/.test(complaint)) {
    return "Akimbo needs a D1 database, and this login may not make one. Make it in the dashboard, put its id into wrangler.jsonc as database_id, and deploy again.";
  }
  return "Mend what they say, and deploy again.";
}

async function main(): Promise<number> {
  const { back, unsigned } = parseArgs({
    options: { back: { type: "boolean" }, unsigned: { type: "boolean" } },
  }).values;
  const { own, config } = await readConfig();
  if (back) return goBack(config);
  const changed = await checkRelease(own.vars, unsigned);
  if (changed.length > 0) {
    for (const text of changed.slice(0, 10)) console.error(text);
    console.error(
      "This is not the signed release, so nothing was deployed. `npm run update` brings files back that are missing or changed; `node deploy.mjs --unsigned` deploys the folder as it is.",
    );
    return 1;
  }
  const code = createClaimCode();
  config.vars.CLAIM_CODE = await claimVariable(code, new Date());
  writeConfig(config);
  await sayHowToGoBack(config);
  const missing = await deploy(config);
  if (!missing) return 1;
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

await runInFolder(main, { leftover: REPORT });
