const TABLE = /^\s*\[+([^\]]+)\]+/;
const STRING_ENTRY = /^\s*"?(\w+)"?\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*')\s*(?:#.*)?$/;

/** Returns the one-line strings of the TOML tables `[name]` or `[[name]]`. */
export function readTomlTables(toml: string, name: string): Record<string, string>[] {
  const tables: Record<string, string>[] = [];
  let current: Record<string, string> | null = null;
  for (const line of toml.split(/\r?\n/)) {
    const header = TABLE.exec(line)?.[1]?.trim();
    if (header !== undefined) {
      current = header === name ? {} : null;
      if (current) tables.push(current);
    }
    const [, key, literal] = STRING_ENTRY.exec(line) ?? [];
    if (!current || !key || !literal) continue;
    current[key] = literal.startsWith("'") ? literal.slice(1, -1) : String(JSON.parse(literal));
  }
  return tables;
}
