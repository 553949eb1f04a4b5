/** One line of the table. `ok` is null for what has no bar, or cannot be measured here. */
export interface Row {
  what: string;
  measured: string;
  bar: string;
  ok: boolean | null;
}

export const atMost = (what: string, value: number, limit: number, unit = ""): Row => ({
  what,
  measured: format(value) + unit,
  bar: `≤ ${format(limit)}${unit}`,
  ok: value <= limit,
});

/** Something good to know, with no bar. */
export const note = (what: string, measured: string): Row => ({
  what,
  measured,
  bar: "",
  ok: null,
});

export const skipped = (what: string, why: string): Row => note(what, `skipped: ${why}`);

const format = (value: number): string =>
  value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 1 : 0 });

const verdict = ({ ok }: Row): string => (ok === null ? "" : ok ? "ok" : "MISSED");

export function printTable(title: string, rows: Row[]): void {
  const cells = rows.map((row) => [row.what, row.measured, row.bar, verdict(row)]);
  const widths = [0, 1, 2].map((i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)));
  console.log(`\n${title}`);
  for (const line of cells) {
    const padded = line.map((cell, i) => cell.padEnd(widths[i] ?? 0));
    console.log(`  ${padded.join("  ").trimEnd()}`);
  }
}

export function printVerdict(rows: Row[]): void {
  const missed = rows.filter(({ ok }) => ok === false);
  const met = rows.filter(({ ok }) => ok === true).length;
  console.log(
    missed.length === 0
      ? `\nAll ${met} bars are met.`
      : `\n${missed.length} of ${met + missed.length} bars MISSED: ${missed.map(({ what }) => what).join("; ")}.`,
  );
}
