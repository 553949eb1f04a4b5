/** Source: spec, "Authentication" 2. */
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

/** `*` covers all scopes, publish covers write, write covers read. */
export function coversScope(granted: readonly Scope[], needed: Scope): boolean {
  if (granted.includes("*") || granted.includes(needed)) return true;
  const [area, level] = needed.split(":");
  if (level === "read") return coversScope(granted, `${area}:write` as Scope);
  return needed === "posts:write" && granted.includes("posts:publish");
}

/**
 * Safe for programs that ask for everything that is announced: with these, posts wait for a person's approval.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export const ANNOUNCED_SCOPES = [
  "accounts:read",
  "posts:read",
  "posts:write",
  "analytics:read",
] as const satisfies Scope[];
