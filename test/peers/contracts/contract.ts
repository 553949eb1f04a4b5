import type { RecordedCall } from "./recording.ts";

/** The calls of a platform as its vendor describes them for machines. */
export interface Contract {
  /** What is wrong about each call; null for one that the contract knows. */
  judge(calls: RecordedCall[]): Promise<(string | null)[]>;
}

/** Whether an address has the form of a path such as `/2/users/{id}/tweets`; its parts, else null. */
export function matchPath(template: string, path: string): string[] | null {
  const names = template.split(/\{[^}]+\}/).map((text) => text.replaceAll(".", "\\."));
  const match = new RegExp(`^${names.join("([^/]+)")}$`).exec(path);
  return match?.slice(1).map(decodeURIComponent) ?? null;
}

/** The fields of a call's query, each once. */
export const queryOf = (call: RecordedCall): Record<string, string> =>
  Object.fromEntries(new URL(call.url).searchParams);
