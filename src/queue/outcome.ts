/** The consumer turns the outcome into ack or retry. */
export type Outcome =
  | { kind: "done" }
  | { kind: "again"; afterSeconds: number }
  | { kind: "drop"; reason: string };
