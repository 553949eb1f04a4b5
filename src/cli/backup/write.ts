/** `lines` become the JSON array that `sql` makes of its source. */
export type Write = string | { insert(source: string): string; lines: readonly string[] };
