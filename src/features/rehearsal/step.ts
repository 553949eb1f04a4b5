import type { RecordedCall } from "./record.ts";
import type { Next } from "./rules.ts";
import type { RehearsalRow } from "./table.ts";

export interface Step {
  row: RehearsalRow;
  next: Next;
  afterSeconds: number;
  note: string | null;
  calls: RecordedCall[];
}
