/** The decision of a handler; the consumer alone turns it into ack or retry. */
export type Outcome =
  | { kind: "done" }
  | { kind: "again"; afterSeconds: number }
  | { kind: "drop"; reason: string };
