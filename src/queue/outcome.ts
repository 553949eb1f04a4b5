export type Outcome =
  | { kind: "done" }
  | { kind: "again"; afterSeconds: number }
  | { kind: "drop"; reason: string };
