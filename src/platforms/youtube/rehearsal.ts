import { ok, type Result } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import type { RehearsalPlan } from "../rehearsal.ts";

export const plan = (): Result<RehearsalPlan, Stopped> =>
  ok({
    audience: "owner",
    settings: { privacyStatus: "private", notifySubscribers: "false" },
    sample: "video",
  });
