import type { Query } from "../../src/db/client.ts";
import { NEXT_PART, stepOf, uploadIn } from "./boundaries.ts";
import { textIn } from "./findings.ts";

/** A step with what it works on: a part has steps and subjects of its own. */
export interface Place {
  step: string;
  subjects: string[];
}

/** A login is an account's, whatever it is renewed for. */
const NOT_OF_PARTS = new Set([NEXT_PART, "call refresh"]);

/** Which part of each post is going out. */
export class Positions {
  private readonly parts = new Map<string, number>();

  /** Returns 0 while the post itself is going out. */
  of = (subject: string): number => this.parts.get(subject) ?? 0;

  /** Follows statements that were executed. */
  follow(queries: readonly Query<unknown>[], results: readonly unknown[]): void {
    if (stepOf(queries) !== NEXT_PART || results[0] !== 1) return;
    const subject = subjectOf(queries);
    if (subject) this.parts.set(subject, this.of(subject) + 1);
  }

  /** Places statements of a run that works on `subjects`. */
  place(queries: readonly Query<unknown>[], subjects: string[]): Place {
    const step = stepOf(queries);
    const subject = subjectOf(queries);
    return subject ? this.placeOf(step, subject) : { step, subjects };
  }

  /** Places a call to the platform; a run of several posts is known by the text of a call alone. */
  placeCall(step: string, text: string | null, subjects: string[]): Place {
    const [subject = "", ...others] = subjects;
    if (others.length === 0) return this.placeOf(step, subject);
    const part = /(?: part \d+| comment)$/.test(textIn(text ?? "") ?? "");
    return part ? { step: `part ${step}`, subjects: [text ?? ""] } : { step, subjects };
  }

  private placeOf(step: string, subject: string): Place {
    const position = this.of(subject);
    if (position === 0) return { step, subjects: [subject] };
    const subjects = [`${subject} part ${position}`];
    return { step: NOT_OF_PARTS.has(step) ? step : `part ${step}`, subjects };
  }
}

function subjectOf(queries: readonly Query<unknown>[]): string | null {
  for (const query of queries) {
    const id = uploadIn(query);
    if (id !== null) return `#${id}`;
  }
  return null;
}
