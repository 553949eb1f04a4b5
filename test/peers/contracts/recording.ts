import type { Platform } from "../../../src/core/platforms.ts";

/** A call that a connector made to its platform. */
export interface RecordedCall {
  platform: Platform;
  /** The kind of post or other work that it was made for. */
  kind: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  body:
    | { kind: "json"; value: unknown }
    /** A file is null. */
    | { kind: "form"; fields: Record<string, string | null> }
    | { kind: "bytes"; type: string; sizeBytes: number }
    | null;
}

const MARK = "recorded call: ";

export const toLine = (call: RecordedCall): string => MARK + JSON.stringify(call);

/** The calls in the output of the recorder, in their order. */
export const readLines = (output: string): RecordedCall[] =>
  output
    .split("\n")
    .filter((line) => line.includes(MARK))
    .map((line) => JSON.parse(line.slice(line.indexOf(MARK) + MARK.length)) as RecordedCall);
