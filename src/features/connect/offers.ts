import type { Platform } from "../../core/platforms.ts";
import type { Deps } from "../../deps.ts";
import { connectors, platformName } from "../../platforms/registry.ts";
import { refusedPlatform } from "./start.ts";

/** The ways in which a person connects an account of a platform here. */
export interface Offer {
  platform: Platform;
  name: string;
  /** The person's part at the platform, in one sentence. */
  asks: string | null;
  /** The label of the field for the account's handle or server; null where one page serves all. */
  identifierLabel: string | null;
  /** Reason why the platform's own consent page cannot be used here; null where it can. */
  refusal: string | null;
  /** The simulated consent page can be used. */
  isSimulated: boolean;
  /** An app password connects an account too. */
  takesPassword: boolean;
}

/** Tells of every platform how its accounts are connected, in the spec's order. */
export const platformOffers = (deps: Pick<Deps, "config">): Offer[] =>
  connectors().map(({ platform, consent, login }) => ({
    platform,
    name: platformName(platform),
    asks: consent?.asks ?? null,
    identifierLabel: consent?.identifierLabel ?? null,
    refusal: refusedPlatform(deps, { platform, mode: "live" }),
    isSimulated: refusedPlatform(deps, { platform, mode: "sandbox" }) === null,
    takesPassword: login !== undefined,
  }));
