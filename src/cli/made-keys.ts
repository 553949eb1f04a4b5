/**
 * What a deployment says about the secrets that it makes; null for none. A log that others read must not have them.
 *
 * @param keys values by name
 */
export function describeKeys(keys: Record<string, string>, isTerminal: boolean): string | null {
  const names = Object.keys(keys);
  if (names.length === 0) return null;
  if (!isTerminal) {
    return `! Made ${names.join(", ")}. They are not shown, because this is no terminal, and Cloudflare shows secrets to nobody. A restore into another instance needs them: to have a copy, set your own before accounts are connected (npx wrangler secret put NAME).`;
  }
  return [
    "Keys that are made now, and shown this once. Cloudflare shows secrets to nobody, and a restore into another instance needs them: keep them where you keep passwords.",
    ...Object.entries(keys).map(([name, value]) => `  ${name}=${value}`),
  ].join("\n");
}
