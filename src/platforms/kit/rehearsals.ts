import { ok, type Result } from "../../core/result.ts";
import type { RehearsalPlan } from "../rehearsal.ts";
import type { ReadBack } from "../removal.ts";
import type { Stopped } from "../stopped.ts";

export const seen = (visibility: string | null = null): Result<ReadBack, Stopped> =>
  ok({ isThere: true, visibility });

export const MISSING: Result<ReadBack, Stopped> = ok({ isThere: false, visibility: null });

/** For APIs that make only public posts. */
export const PUBLIC_TEXT: RehearsalPlan = { audience: "everyone", settings: {}, sample: null };
