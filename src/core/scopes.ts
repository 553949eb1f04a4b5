/** The scopes a token may hold. Source: spec, "Authentication" 2. */
export const SCOPES = [
  "*",
  "posts:read",
  "posts:write",
  "posts:publish",
  "accounts:read",
  "accounts:write",
  "analytics:read",
  "pools:read",
  "pools:write",
  "webhooks:read",
  "webhooks:write",
  "team:read",
  "team:write",
  "links:read",
  "links:write",
] as const;

export type Scope = (typeof SCOPES)[number];

/** Returns true when `held` covers `needed`: `*` covers all, publish covers write, write covers read. */
export function coversScope(held: readonly Scope[], needed: Scope): boolean {
  if (held.includes("*") || held.includes(needed)) return true;
  const [area, level] = needed.split(":");
  if (level === "read") return coversScope(held, `${area}:write` as Scope);
  return needed === "posts:write" && held.includes("posts:publish");
}
