import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { VERSION } from "../core/version.ts";
import type { Cloud } from "./cloud.ts";
import {
  deployTriggers,
  findBookmark,
  listDeployments,
  type Share,
  shareCalls,
} from "./cloud-versions.ts";
import type { WranglerConfig } from "./deploy-config.ts";
import { Problem } from "./program.ts";
import { askHealth, rollOut } from "./rollout.ts";

interface Deployment {
  config: WranglerConfig;
  deployConfig: string;
  secrets: Record<string, string>;
  /** Null for a Worker that was never deployed. */
  running: readonly Share[] | null;
}

type Say = (line: string) => void;

const NAME = `Akimbo ${VERSION}`;

const addressPath = (stateDir: string): string => join(stateDir, "address.txt");

/** The address of the deployed instance; null when no setting and no deployment from this folder says it. */
export async function findAddress(
  { vars }: Pick<WranglerConfig, "vars">,
  stateDir: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string | null> {
  const stored = readFile(addressPath(stateDir), "utf8").catch(() => "");
  const address = env.AKIMBO_URL || vars.PUBLIC_URL || (await stored).trim();
  return URL.canParse(String(address)) ? new URL(String(address)).origin : null;
}

/** The version that answers; null when it is not known. */
export async function findVersion(
  config: WranglerConfig,
  stateDir: string,
): Promise<string | null> {
  const address = await findAddress(config, stateDir);
  const health = address && (await askHealth(address, config.name, null));
  return health ? (health.version ?? null) : null;
}

/** Returns the addresses. */
export async function putLive(
  cloud: Cloud,
  { config, deployConfig, secrets, running }: Deployment,
  { say, stateDir, watchSeconds }: { say: Say; stateDir: string; watchSeconds: number },
): Promise<string[]> {
  const address = await findAddress(config, stateDir);
  const current = running && largest(running);
  if (current && address) {
    const next = await cloud.uploadVersion(deployConfig, secrets);
    if (next) {
      const worker = config.name;
      await rollOut(
        { next, running: current, name: NAME },
        {
          say,
          share: (shares, message) => shareCalls(worker, shares, message),
          deployTriggers: () => deployTriggers(deployConfig),
          askHealth: (version) => askHealth(address, worker, version),
          watchSeconds,
        },
      );
      say(`✓ ${NAME} answers all calls. Back, by one command: npm run deploy -- --back`);
      return [address];
    }
    say(
      "! New Durable Objects cannot be shared with the version before: all calls go over at once.",
    );
  } else if (current) {
    say(
      "! The address of the instance is not known here, so all calls go to the new version at once. Set PUBLIC_URL, or AKIMBO_URL for this command.",
    );
  }
  const addresses = await cloud.deploy(deployConfig, secrets);
  if (addresses[0]) await writeFile(addressPath(stateDir), `${addresses[0]}\n`);
  say("✓ Worker deployed");
  return addresses;
}

const largest = (shares: readonly Share[]): string | undefined =>
  shares.toSorted((a, b) => b.percentage - a.percentage)[0]?.id;

/** Prints how the database comes back to the state before this deployment. */
export async function sayWayBack(deployConfig: string, say: Say): Promise<void> {
  const bookmark = await findBookmark(deployConfig);
  say(
    bookmark
      ? `✓ The database can come back to this moment, for 30 days (7 on the free plan):\n  npx wrangler d1 time-travel restore DB --bookmark=${bookmark} --config ${relative("", deployConfig)}`
      : "! Cloudflare did not name a point in time to which the database can come back.",
  );
}

/**
 * Gives all calls to the version that ran before.
 *
 * @throws Problem when there is none, or when Cloudflare refuses it
 */
export async function goBack(worker: string, say: Say): Promise<void> {
  const deployments = await listDeployments(worker);
  const whole = deployments.flatMap(([only, ...others]) =>
    only && others.length === 0 ? [only.id] : [],
  );
  // After an upgrade that was interrupted, the last version that had all calls is the one before.
  const isShared = (deployments.at(-1)?.length ?? 0) > 1;
  const current = isShared ? null : whole.at(-1);
  const before = whole.findLast((id) => id !== current);
  if (!before) throw new Problem("No version ran before this one, so there is none to go back to.");
  await shareCalls(worker, [{ id: before, percentage: 100 }], "Back");
  say(`✓ The version before (${before}) answers all calls.`);
  say("  The database stays as it is: each version works with the migrations of the next one.");
}
