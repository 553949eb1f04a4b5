import type { Config } from "../../config.ts";
import { AppError } from "../../core/errors.ts";
import { hostNameOf } from "../../core/hosts.ts";
import type { PlanName } from "../../core/plans.ts";
import { DAY, HOUR, MINUTE } from "../../core/time.ts";

export interface TeamPlan {
  /** Null: the instance's default. */
  plan: PlanName | null;
  hasLegacyDomains: boolean;
}

type PlanConfig = Pick<Config, "plans" | "defaultPlan">;

export const planHasDomains = (
  { plans, defaultPlan }: PlanConfig,
  team: TeamPlan | undefined,
): boolean =>
  plans.plans[team?.plan ?? defaultPlan].customDomains || team?.hasLegacyDomains === true;

/** @throws AppError FORBIDDEN. Source: spec, "Custom domains" */
export function requireDomainPlan(config: PlanConfig, team: TeamPlan | undefined): void {
  if (planHasDomains(config, team)) return;
  const { defaultPlan } = config;
  throw new AppError(
    "FORBIDDEN",
    `The plan ${team?.plan ?? defaultPlan} has no custom domains: they are not part of current plans. Use the instance's own address (leave domainId out), or ask its owner for access.`,
  );
}

/** Spec is silent. */
export const MAX_DOMAINS = 50;

/** Source: RFC 1035, 2.3.4. */
export const MAX_DOMAIN_CHARACTERS = 253;

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Returns ASCII in lower case; null if the name is not fully qualified. */
export function readDomainName(text: string): string | null {
  const name = text.trim().toLowerCase().replace(/\.$/, "");
  if (name === "" || /[^\p{L}\p{M}\p{N}.-]/u.test(name)) return null;
  if (!URL.canParse(`https://${name}/`)) return null;
  const host = new URL(`https://${name}/`).hostname;
  const labels = host.split(".");
  const isName = labels.length >= 2 && labels.every((label) => LABEL.test(label));
  return isName && host.length <= MAX_DOMAIN_CHARACTERS && /[a-z]/.test(labels.at(-1) ?? "")
    ? host
    : null;
}

const NOT_PUBLIC = ["local", "internal", "localhost", "onion", "arpa", "workers.dev", "pages.dev"];

export function refusedDomain(
  host: string,
  { shortDomain, publicUrl }: Pick<Config, "shortDomain" | "publicUrl">,
  origin: string,
): string | null {
  const own = [shortDomain, new URL(publicUrl ?? origin).host, new URL(origin).host];
  if (own.some((one) => one !== null && hostNameOf(one) === host)) {
    return "is this service's own address";
  }
  const isPrivate = NOT_PUBLIC.some((one) => host === one || host.endsWith(`.${one}`));
  return isPrivate ? "must be a domain of your own on the public internet" : null;
}

/** True for a name like co.uk, under which anyone may register domains. */
export async function isPublicSuffix(host: string): Promise<boolean> {
  const { getDomain } = await import("tldts");
  return getDomain(host, { allowPrivateDomains: true }) === null;
}

/** Spec is silent: a domain may change hands any day. */
export const RECHECK_MS = DAY;
/** Failed daily checks in a row that end the verification. Spec is silent: DNS has bad days. */
export const MAX_MISSES = 3;

/** Age of an unverified domain at its deletion. Spec is silent. */
export const GIVEN_UP_MS = 7 * DAY;

/** Checks often at first, while records spread. Null when the domain is too old. */
export function nextCheck(since: Date, now: Date): Date | null {
  const age = now.getTime() - since.getTime();
  if (age >= GIVEN_UP_MS) return null;
  const wait = age < 30 * MINUTE ? MINUTE : age < DAY ? 10 * MINUTE : HOUR;
  return new Date(now.getTime() + wait);
}
