import { createHash } from "node:crypto";
import type { Running } from "./worker-options.ts";

/** A dictionary of structured headers: `name="version-id"`. */
const OVERRIDE = /([a-z][\w-]*)\s*=\s*"([0-9a-f-]+)"/g;

type Headers = Record<string, string | string[] | undefined>;

/** A number from 0 to 99 that is the same for each call with the key. */
const pointOf = (key: string): number =>
  createHash("sha256").update(key).digest().readUInt32BE() % 100;

/**
 * Returns the version that takes a call. An override holds for versions of the deployment alone, also for one at 0 %.
 *
 * @see https://developers.cloudflare.com/workers/configuration/versions-and-deployments/gradual-deployments/
 */
export function chooseVersion(
  running: readonly Running[],
  headers: Headers,
  random: () => number = Math.random,
): Running | undefined {
  const overrides = headers["cloudflare-workers-version-overrides"] ?? "";
  for (const [, name, id] of String(overrides).matchAll(OVERRIDE)) {
    const match = running.find(({ script, version }) => script.name === name && version.id === id);
    if (match) return match;
  }
  const key = headers["cloudflare-workers-version-key"];
  let point = key === undefined ? random() * 100 : pointOf(String(key));
  for (const one of running) {
    point -= one.percentage;
    if (point < 0) return one;
  }
  return running.at(-1);
}
