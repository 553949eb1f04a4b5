import type { RecordedCall } from "./recording.ts";

/** The calls of a platform as its vendor describes them for machines. */
export interface Contract {
  /** Returns each call's problem; null for a call that fits the contract. */
  judge(calls: RecordedCall[]): Promise<(string | null)[]>;
}

/** Returns the parts of an address that fits a path such as `/2/users/{id}/tweets`, else null. */
export function matchPath(template: string, path: string): string[] | null {
  const names = template.split(/\{[^}]+\}/).map((text) => text.replaceAll(".", "\\."));
  const match = new RegExp(`^${names.join("([^/]+)")}$`).exec(path);
  return match?.slice(1).map(decodeURIComponent) ?? null;
}

/** The fields of a call's query, each once. */
export const queryOf = (call: RecordedCall): Record<string, string> =>
  Object.fromEntries(new URL(call.url).searchParams);
