import type { Config } from "../../config.ts";
import { AppError } from "../../core/errors.ts";
import { hostNameOf } from "../../core/hosts.ts";
import type { PlanName } from "../../core/plans.ts";
import { DAY, HOUR, MINUTE } from "../../core/time.ts";

/** The plan of a team, and its legacy flag. */
export interface TeamPlan {
  /** Null: the instance's own. */
  plan: PlanName | null;
  hasLegacyDomains: boolean;
}

/** @throws AppError FORBIDDEN where the team's plan has no domains. Source: spec, "Custom domains" */
export function requireDomainPlan(
  { plans, defaultPlan }: Pick<Config, "plans" | "defaultPlan">,
  team: TeamPlan | undefined,
): void {
  const plan = plans.plans[team?.plan ?? defaultPlan];
  if (plan.customDomains || team?.hasLegacyDomains) return;
  throw new AppError(
    "FORBIDDEN",
    `The plan ${team?.plan ?? defaultPlan} has no custom domains: they are not part of current plans. Use the instance's own address (leave domainId out), or ask its owner for access.`,
  );
}

/** Domains of a team. Spec is silent. */
export const MAX_DOMAINS = 50;

/** Source: RFC 1035, 2.3.4. */
export const MAX_DOMAIN_CHARACTERS = 253;

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Reads a domain as it is kept, in ASCII and lower case; null for what is not fully qualified. */
export function readDomainName(text: string): string | null {
  const given = text.trim().toLowerCase().replace(/\.$/, "");
  if (given === "" || /[^\p{L}\p{M}\p{N}.-]/u.test(given)) return null;
  if (!URL.canParse(`https://${given}/`)) return null;
  const host = new URL(`https://${given}/`).hostname;
  const labels = host.split(".");
  const isName = labels.length >= 2 && labels.every((label) => LABEL.test(label));
  return isName && host.length <= MAX_DOMAIN_CHARACTERS && /[a-z]/.test(labels.at(-1) ?? "")
    ? host
    : null;
}

const NOT_PUBLIC = ["local", "internal", "localhost", "onion", "arpa", "workers.dev", "pages.dev"];

/** Returns why a domain cannot carry short links; null where it can. `origin`: the instance's. */
export function refusedDomain(
  host: string,
  { shortDomain, publicUrl }: Pick<Config, "shortDomain" | "publicUrl">,
  origin: string,
): string | null {
  const own = [shortDomain, new URL(publicUrl ?? origin).host, new URL(origin).host];
  if (own.some((one) => one !== null && hostNameOf(one) === host)) {
    return "is this service's own address";
  }
  const isPrivate = NOT_PUBLIC.some((name) => host === name || host.endsWith(`.${name}`));
  return isPrivate ? "must be a domain of your own on the public internet" : null;
}

/** Returns true for a name under which strangers register names of their own, such as co.uk. */
export async function isPublicSuffix(host: string): Promise<boolean> {
  // The list is large, and only this question needs it.
  const { getDomain } = await import("tldts");
  return getDomain(host, { allowPrivateDomains: true }) === null;
}

/** How often a verified domain is looked at. Spec is silent: a domain may change hands any day. */
export const RECHECK_MS = DAY;
/** Daily looks in a row without the team's record that end a domain. Spec is silent: DNS has bad days. */
export const MAX_MISSES = 3;

/** Names that are not verified by then are given up, and others may have them. Spec is silent. */
export const GIVEN_UP_MS = 7 * DAY;

/**
 * When a domain that waits since `since` to be verified is looked at after `now`: often at first, as its records
 * spread; null once it is given up.
 */
export function nextCheck(since: Date, now: Date): Date | null {
  const age = now.getTime() - since.getTime();
  if (age >= GIVEN_UP_MS) return null;
  const wait = age < 30 * MINUTE ? MINUTE : age < DAY ? 10 * MINUTE : HOUR;
  return new Date(now.getTime() + wait);
}
