import type { Result } from "../core/result.ts";
import type { AccountCall } from "./removal.ts";
import type { Stopped } from "./stopped.ts";

export const TEXT_FIELDS = ["title", "description"] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

/** Texts in the platform's form. */
export type ShownTexts = Partial<Record<TextField, string>>;

export interface CorrectionCalls {
  /** Changes these texts alone, and is safe to repeat. */
  correct(call: AccountCall, id: string, texts: ShownTexts): Promise<Result<null, Stopped>>;
  shows(call: AccountCall, id: string, texts: ShownTexts): Promise<Result<boolean, Stopped>>;
}
