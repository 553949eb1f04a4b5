import { namesOwnDomain } from "../../config.ts";
import type { Deps } from "../../deps.ts";
import type { Post } from "../../platforms/connector.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { AccountRow } from "../accounts/table.ts";

/** Returns why the platform cannot pull the post's files from here, in sentences; null when it can. */
export function pullRefusal(
  { config }: Pick<Deps, "config">,
  { platform, mode }: Pick<AccountRow, "platform" | "mode">,
  post: Post,
): string | null {
  const { verifiedPull } = connectorOf(platform);
  if (mode === "sandbox" || !verifiedPull?.isNeeded(post)) return null;
  return namesOwnDomain(config) ? null : verifiedPull.refusal;
}
