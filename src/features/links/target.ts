import { Router } from "./evaluate.ts";
import type { FoundLink } from "./repo/places.ts";

/** Texts and image that social networks show of a link. */
export interface Preview {
  title: string | null;
  description: string | null;
  imageUrl: string | null;
}

/** A link made ready for visits. */
export interface Target {
  id: number;
  destination: string;
  /** Null: it has no rules. */
  router: Router | null;
  useDeeplink: boolean;
  /** Where bots are sent; null: nobody is asked. */
  safeUrl: string | null;
  preview: Preview | null;
  /** Hosts of short links among the destinations, to which no visitor is sent. */
  shortHosts: readonly string[];
}

export function toTarget(link: FoundLink): Target {
  const { id, destination, useDeeplink, botProtection, safeUrl, rules } = link;
  const { title, description, imageUrl, shortHosts } = link;
  return {
    ...{ id, destination, useDeeplink, shortHosts },
    router: rules.length > 0 ? new Router(rules) : null,
    safeUrl: botProtection ? safeUrl : null,
    preview: (title ?? description ?? imageUrl) ? { title, description, imageUrl } : null,
  };
}
