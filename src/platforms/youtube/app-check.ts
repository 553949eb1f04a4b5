import { googleAppCheck } from "../google/app-check.ts";

export const checkApp = googleAppCheck("YouTube");
