import type { Step } from "./rehearsal.ts";

export const MORE_STEPS: Step[] = [];
