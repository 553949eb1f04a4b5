import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import type { Share } from "./cloud-versions.ts";
import { Problem } from "./program.ts";

/** Share of the calls that the new version answers first, in percent. */
const FIRST_SHARE = 10;
const LOOKS = 5;
/** How long each step is watched, unless the owner says more or less. */
export const WATCH_SECONDS = 8;
const SHORTEST_PAUSE_MS = 100;
const LOOK_TIMEOUT_MS = 10_000;
/** A new deployment reaches all of Cloudflare's network within this time. */
const REACHES_ALL_MS = 30_000;

const answer = z.object({
  status: z.enum(["ok", "late", "down"]),
  error: z.string().optional(),
  version: z.string().optional(),
  deployment: z.string().nullish(),
});
type Health = z.infer<typeof answer>;

export interface Steps {
  say(line: string): void;
  share(shares: readonly Share[], message: string): Promise<void>;
  deployTriggers(): Promise<void>;
  /** Null when nothing answers as Akimbo does. */
  askHealth(version: string | null): Promise<Health | null>;
  watchSeconds?: number;
  wait?(ms: number): Promise<void>;
}

/**
 * Gives the new version none of the calls, then a tenth, then all, and asks `/health` between. The version before takes
 * all calls again when the new one is less well than it was. Where nothing answered before, nothing can get worse.
 *
 * @param running answers all calls now
 * @throws Problem after the version before has taken over again
 */
export async function rollOut(
  { next, running, name }: { next: string; running: string; name: string },
  steps: Steps,
): Promise<void> {
  const wait = steps.wait ?? sleep;
  const before = await steps.askHealth(null);
  if (!before) {
    steps.say("! /health did not answer before, so the new version gets all calls at once.");
    await steps.share([{ id: next, percentage: 100 }], name);
    return steps.deployTriggers();
  }
  const requireHealth = async (version: string | null) => {
    const problem = await findProblem(version, before, steps, wait);
    if (problem === null) return;
    await steps.share([{ id: running, percentage: 100 }], `Back from ${name}`);
    throw new Problem(
      `${name} was not well: ${problem} The version before answers all calls again, and nothing was lost.`,
    );
  };
  const shareOf = (percentage: number): Share[] => [
    { id: next, percentage },
    { id: running, percentage: 100 - percentage },
  ];
  // Shares rise in one order, so that no Durable Object goes back to the version before.
  await steps.share(shareOf(0), `${name}, being looked at`);
  await requireHealth(next);
  await steps.share(shareOf(FIRST_SHARE), `${name}, first calls`);
  await requireHealth(null);
  steps.say(`✓ ${name} answers ${FIRST_SHARE} % of the calls well`);
  await steps.share([{ id: next, percentage: 100 }], name);
  await requireHealth(null);
  await steps.deployTriggers();
}

const RANKS: readonly Health["status"][] = ["ok", "late", "down"];

const isWorse = (health: Health, before: Health): boolean =>
  RANKS.indexOf(health.status) > RANKS.indexOf(before.status);

/** A sentence about the new version; null when it is well. */
async function findProblem(
  version: string | null,
  before: Health,
  { askHealth, watchSeconds = WATCH_SECONDS }: Steps,
  wait: (ms: number) => Promise<void>,
): Promise<string | null> {
  const everyMs = Math.max(SHORTEST_PAUSE_MS, (watchSeconds * 1_000) / (LOOKS - 1));
  let isReached = version === null;
  for (let look = 0, waited = 0; look < LOOKS; waited += everyMs) {
    const health = await askHealth(version);
    isReached ||= health?.deployment === version;
    if (isReached || waited >= REACHES_ALL_MS) look++;
    if (isReached && !health) return "/health did not answer.";
    if (isReached && health && isWorse(health, before)) {
      return health.error ?? `/health is ${health.status}.`;
    }
    if (look < LOOKS) await wait(everyMs);
  }
  return isReached ? null : "Cloudflare did not lead a call to it.";
}

/** Asks the version that the header names, while it is part of the deployment. */
export async function askHealth(
  origin: string,
  worker: string,
  version: string | null,
): Promise<Health | null> {
  try {
    const response = await fetch(`${origin}/health`, {
      signal: AbortSignal.timeout(LOOK_TIMEOUT_MS),
      ...(version === null
        ? {}
        : { headers: { "Cloudflare-Workers-Version-Overrides": `${worker}="${version}"` } }),
    });
    return answer.safeParse(await response.json()).data ?? null;
  } catch {
    return null;
  }
}
