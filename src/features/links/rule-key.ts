import type { StoredRule } from "./evaluate.ts";

export const DEFAULT_KEY = "-";

/** Equal for equal rules in any place of the order, so that counts survive a change of order. */
export function ruleKey({ priority: _, ...rule }: StoredRule): string {
  const text = JSON.stringify(Object.entries(rule).sort(([a], [b]) => (a < b ? -1 : 1)));
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}
