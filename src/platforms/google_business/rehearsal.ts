import { ok, type Result } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { PUBLIC_TEXT } from "../kit/rehearsals.ts";
import type { RehearsalPlan } from "../rehearsal.ts";

export const plan = (): Result<RehearsalPlan, Stopped> => ok(PUBLIC_TEXT);
