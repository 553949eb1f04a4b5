import { ok, type Result } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import type { RehearsalPlan } from "../rehearsal.ts";

/** Only people who manage the Page see an unpublished post. */
export const plan = (): Result<RehearsalPlan, Stopped> =>
  ok({ audience: "owner", settings: {}, sample: null, isHidden: true });
