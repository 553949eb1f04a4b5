import { appKeyNames } from "../../config.ts";
import type { Platform } from "../../core/platforms.ts";
import type { Connector, Needs } from "../../platforms/connector.ts";
import type { ConsentScopes } from "../../platforms/consent.ts";
import { callbackPath, clientMetadataPath } from "../connect/rules.ts";
import { deletionRequestPath, withdrawnPath } from "../withdrawals/rules.ts";

export interface SetupAddress {
  field: string;
  url: string;
}

export interface PlatformSetup extends ConsentScopes, Pick<Needs, "app" | "review"> {
  platform: Platform;
  /** App variables; empty when no app is needed. */
  variables: readonly string[];
  key: NonNullable<Needs["key"]> | null;
  addresses: readonly SetupAddress[];
  document: string | null;
}

/** @param origin begins each address; empty for paths alone */
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
