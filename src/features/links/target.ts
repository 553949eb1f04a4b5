import { Router } from "./evaluate.ts";
import type { FoundLink } from "./repo/addresses.ts";

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

export function toTarget(link: FoundLink): Target {
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
