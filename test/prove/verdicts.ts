import type { Judgement } from "./findings.ts";

const SHOWN = 5;

/** Passed and failed, as they are printed. */
export class Verdicts {
  private passed = 0;
  private failed = 0;

  check(what: string, isGood: boolean, details: readonly string[] = []): void {
    if (isGood) this.passed++;
    else this.failed++;
    console.log(`  ${isGood ? "ok    " : "FAILED"} ${what}`);
    if (isGood) return;
    for (const line of details.slice(0, SHOWN)) console.log(`           ${line}`);
    if (details.length > SHOWN) console.log(`           and ${details.length - SHOWN} more`);
  }

  judge(judgements: readonly Judgement[]): void {
    for (const { invariant, claim, violations } of judgements) {
      const label = `${invariant.padEnd(4)} ${claim}: ${violations.length} violations`;
      this.check(label, violations.length === 0, violations);
    }
  }

  close(): number {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.failed === 0 ? 0 : 1;
  }
}

/** Adds the counts of `more` to `total`. */
export function addCounts(total: Record<string, number>, more: Record<string, number>): void {
  for (const [name, count] of Object.entries(more)) total[name] = (total[name] ?? 0) + count;
}

export function printCounts(title: string, counts: Record<string, number>): void {
  const parts = Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`);
  console.log(`  ${title}: ${parts.join(", ") || "none"}`);
}
