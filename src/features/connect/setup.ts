import { appKeyNames } from "../../config.ts";
import type { Platform } from "../../core/platforms.ts";
import type { Connector, Needs } from "../../platforms/connector.ts";
import type { ConsentScopes } from "../../platforms/consent.ts";
import { callbackPath, clientMetadataPath, deletionRequestPath, withdrawnPath } from "./rules.ts";

/** An address of ours, and the field of the app's settings at the platform that takes it. */
export interface SetupAddress {
  field: string;
  url: string;
}

/** Everything that the owner of an instance registers at a platform, and sets here. */
export interface PlatformSetup extends ConsentScopes, Pick<Needs, "app" | "review"> {
  platform: Platform;
  /** The variables with the app's keys; none where no app is needed. */
  variables: readonly string[];
  /** The key of the instance's own; null for none. */
  key: NonNullable<Needs["key"]> | null;
  /** To be registered with the app; none where no app is needed. */
  addresses: readonly SetupAddress[];
  /** The address at which the platform reads about this instance; null for none. */
  document: string | null;
}

/**
 * Returns what a platform needs, for the command line, the guides and the setup page alike.
 *
 * @param origin of the instance, as browsers know it; empty for paths alone
 */
export function setupOf(
  { platform, needs, consent, withdrawals }: Connector,
  origin: string,
): PlatformSetup {
  const hasApp = needs.app !== null;
  return {
    platform,
    app: needs.app,
    review: needs.review,
    required: consent?.required ?? needs.scopes,
    optional: consent?.optional ?? [],
    variables: hasApp ? appKeyNames(platform) : [],
    key: needs.key ?? null,
    addresses: hasApp
      ? [
          { field: "Redirect URL", url: origin + callbackPath(platform) },
          ...(withdrawals ? addressesOf(withdrawals.fields, platform, origin) : []),
        ]
      : [],
    document: consent?.clientMetadata ? origin + clientMetadataPath(platform) : null,
  };
}

const addressesOf = (
  { withdrawn, deletion }: NonNullable<Connector["withdrawals"]>["fields"],
  platform: Platform,
  origin: string,
): SetupAddress[] => [
  { field: withdrawn, url: origin + withdrawnPath(platform) },
  ...(deletion === undefined
    ? []
    : [{ field: deletion, url: origin + deletionRequestPath(platform) }]),
];
