import { printTable, printVerdict, type Row } from "./report.ts";

/** A table of the bench, which is measured without the others. */
export interface Section {
  title: string;
  measure(): Promise<Row[]>;
}

/**
 * Measures and prints the sections one after another. A section that fails is printed with its reason, and the
 * next one begins.
 *
 * @returns the exit code: 1 where a section failed
 */
export async function measureAll(sections: readonly Section[]): Promise<number> {
  const rows: Row[] = [];
  const failed: string[] = [];
  for (const { title, measure } of sections) {
    try {
      const measured = await measure();
      printTable(title, measured);
      rows.push(...measured);
    } catch (error) {
      failed.push(title);
      console.log(`\n${title}\n  FAILED: ${describe(error)}`);
    }
  }
  if (rows.length > 0) printVerdict(rows);
  if (failed.length > 0) {
    console.log(`${failed.length} of ${sections.length} sections FAILED: ${failed.join("; ")}.`);
  }
  return failed.length === 0 ? 0 : 1;
}

/** Returns an error's words with its causes: `fetch` keeps the reason of a broken connection in them. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  return cause === undefined ? message : `${message} (${describe(cause)})`;
}
