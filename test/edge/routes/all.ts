import type { Route } from "../api.ts";
import { ASSET_ROUTES } from "./assets.ts";
import { D1_ROUTES } from "./d1.ts";
import { SCRIPT_ROUTES } from "./scripts.ts";
import { QUEUE_ROUTES, STORAGE_ROUTES } from "./storage.ts";
import { TRIGGER_ROUTES, USER_ROUTES } from "./triggers.ts";

/** What of the account API the stand-in knows. */
export const ACCOUNT_ROUTES: Route[] = [
  ...ASSET_ROUTES,
  ...D1_ROUTES,
  ...SCRIPT_ROUTES,
  ...STORAGE_ROUTES,
  ...QUEUE_ROUTES,
  ...TRIGGER_ROUTES,
  ...USER_ROUTES,
];
