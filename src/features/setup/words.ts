import type { Platform } from "../../core/platforms.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { NeededFor, Submission } from "../../platforms/setup-steps.ts";
import { extraScopes } from "./rules.ts";

export const NEEDED_FOR: Record<NeededFor, string> = {
  everybody: "Everybody.",
  colleagues: "Only other people than you who connect accounts.",
  strangers: "Only accounts of people who have no role in your app.",
  pages: "Only pages of organizations.",
  quota: "Only more uploads than the platform allows without it.",
};

export const namedAudited = (platform: Platform): string =>
  `Add ${platform} to AUDITED_PLATFORMS: the pages and posts here stop saying what holds until then.`;

export interface ScopeReason {
  scope: string;
  reason: string;
  /** The app requests it only when `APP_SCOPES` names it. */
  isExtra: boolean;
}

export const reasonsOf = (
  { needs, consent }: Pick<Connector, "needs" | "consent">,
  { scopes, reasons }: Submission,
): ScopeReason[] => {
  const extra = (consent ? extraScopes(consent) : []).filter((scope) => reasons[scope]);
  const asked = scopes ?? [...new Set([...needs.scopes, ...extra])];
  return asked.map((scope) => ({
    scope,
    reason: reasons[scope] ?? `To ${consent?.inWords?.[scope] ?? "work"}.`,
    isExtra: scopes === undefined && extra.includes(scope),
  }));
};
