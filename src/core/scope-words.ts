import type { Scope } from "./scopes.ts";

export const SCOPE_WORDS: Record<Scope, string> = {
  "*": "Everything",
  "posts:read": "Read posts",
  "posts:write": "Write posts, held for approval",
  "posts:publish": "Publish posts",
  "accounts:read": "Read accounts",
  "accounts:write": "Change accounts",
  "analytics:read": "Read analytics",
  "pools:read": "Read pools",
  "pools:write": "Change pools",
  "webhooks:read": "Read webhooks and events",
  "webhooks:write": "Change webhooks",
  "team:read": "Read team and settings",
  "team:write": "Change team and settings",
  "links:read": "Read short links",
  "links:write": "Change short links",
};
