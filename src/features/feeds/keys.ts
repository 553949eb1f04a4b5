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
  return Promise.all(
    [...names].map(async ([entry, own]) => ({ entry, keys: await Promise.all(own.map(keyOf)) })),
  );
}
