import type { RecordedCall } from "./record.ts";
import type { Next } from "./rules.ts";
import type { RehearsalRow } from "./table.ts";

export interface Step {
  row: RehearsalRow;
  next: Next;
  /** Wait before the next step. */
  afterSeconds: number;
  note: string | null;
  calls: RecordedCall[];
}
