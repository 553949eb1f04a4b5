import { ok, type Result } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import type { RehearsalPlan } from "../rehearsal.ts";

/** A direct post that mentions nobody is shown to the account alone. */
export const plan = (): Result<RehearsalPlan, Stopped> =>
  ok({ audience: "owner", settings: { mastodon_visibility: "direct" }, sample: "image" });
