import { sha256Hex } from "../../core/signature.ts";
import type { Entry } from "./read-feed.ts";
import { namesOf } from "./rules.ts";

const KEY_CHARACTERS = 32;

const keyOf = async (name: string): Promise<string> =>
  (await sha256Hex(name)).slice(0, KEY_CHARACTERS);

export interface KeyedEntry {
  entry: Entry;
  keys: string[];
}

export async function withKeys(entries: readonly Entry[]): Promise<KeyedEntry[]> {
  const names = namesOf(entries);
  const keyed = await Promise.all(
    entries.map(async (entry) => ({
      entry,
      keys: await Promise.all((names.get(entry) ?? []).map(keyOf)),
    })),
  );
  // A feed may list an entry twice.
  const seen = new Set<string>();
  return keyed.filter(({ keys }) => {
    const isNew = !keys.some((key) => seen.has(key));
    for (const key of keys) seen.add(key);
    return isNew;
  });
}
