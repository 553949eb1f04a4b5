import { ok, type Result } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import type { RehearsalPlan } from "../rehearsal.ts";
import type { AccountCall } from "../removal.ts";
import { isOrganization } from "./urn.ts";

/** LinkedIn has no private posts; a page's post is always public. */
export const plan = ({ account }: AccountCall): Result<RehearsalPlan, Stopped> =>
  ok(
    isOrganization(account.platformAccountId)
      ? { audience: "everyone", settings: { visibility: "PUBLIC" }, sample: null }
      : { audience: "connections", settings: { visibility: "CONNECTIONS" }, sample: null },
  );
