import { Router, type StoredRule } from "./evaluate.ts";
import type { FoundLink } from "./repo/addresses.ts";
import { DEFAULT_KEY, ruleKey } from "./rule-key.ts";

export interface Preview {
  title: string | null;
  description: string | null;
  imageUrl: string | null;
}

export interface Target {
  id: number;
  destination: string;
  router: Router | null;
  useDeeplink: boolean;
  /** Where bots are redirected; null: like people. */
  safeUrl: string | null;
  preview: Preview | null;
  /** Destination hosts with short links, to which no visitor is redirected. */
  shortHosts: readonly string[];
}

export function toTarget(link: Omit<FoundLink, "characters">): Target {
  const { id, destination, useDeeplink, botProtection, safeUrl, rules } = link;
  const { title, description, imageUrl, shortHosts } = link;
  return {
    id,
    destination,
    useDeeplink,
    shortHosts,
    router: rules.length > 0 ? new Router(rules) : null,
    safeUrl: botProtection ? safeUrl : null,
    preview: (title ?? description ?? imageUrl) ? { title, description, imageUrl } : null,
  };
}

/** Null for a link without rules. */
export const countedAs = ({ router }: Target, rule: StoredRule | null): string | null =>
  router === null ? null : rule === null ? DEFAULT_KEY : ruleKey(rule);
