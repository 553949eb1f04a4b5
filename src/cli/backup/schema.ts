import { SELECT_TABLES } from "../../db/lines.ts";
import {
  type Manifest,
  type StoredTable,
  type TableCopy,
  tablesOf,
} from "../../features/backup/manifest.ts";
import { Problem } from "../program.ts";

/**
 * Compares the manifest with the tables that its migrations make, in a database of its own. Names of tables and columns
 * become parts of statements, so a manifest that was tampered with could write into any table.
 *
 * @throws Problem for a table that is not one of a backup, or has other columns or another key
 */
export async function requireOwnTables(
  manifest: Manifest,
  migrations: readonly { text: string }[],
): Promise<void> {
  const made = new Map((await tablesMadeBy(migrations)).map((table) => [table.name, table]));
  const seen = new Set<string>();
  const problems = manifest.tables.flatMap((table) => {
    const own = made.get(table.name);
    if (!own) return [`${table.name} is not a table of a backup with these migrations.`];
    if (seen.has(table.name)) return [`${table.name} is listed twice.`];
    seen.add(table.name);
    if (shapeOf(table) === shapeOf(own)) return [];
    return [`${table.name} has other columns or another key than its migrations made.`];
  });
  if (problems.length === 0) return;
  const intro = "The manifest of the backup is not as the instance wrote it: nothing was written.";
  throw new Problem([intro, ...problems.map((one) => `- ${one}`)].join("\n"));
}

const shapeOf = ({ columns, key }: Pick<TableCopy, "columns" | "key">): string =>
  JSON.stringify([columns.map(({ name, as }) => [name, as]), key]);

async function tablesMadeBy(migrations: readonly { text: string }[]) {
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(":memory:");
  try {
    for (const { text } of migrations) database.exec(`BEGIN;\n${text}\n;COMMIT`);
    return tablesOf(database.prepare(SELECT_TABLES).all() as unknown as StoredTable[]);
  } finally {
    database.close();
  }
}
