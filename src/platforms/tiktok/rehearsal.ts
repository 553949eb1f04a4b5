import { ok, type Result, refuse } from "../../core/result.ts";
import type { Stopped } from "../connector.ts";
import { seen } from "../kit/rehearsals.ts";
import type { RehearsalPlan } from "../rehearsal.ts";
import type { AccountCall, ReadBack } from "../removal.ts";
import { readStatusReply, statusRequest } from "./api.ts";
import { toRefused } from "./failures.ts";

export const plan = (): Result<RehearsalPlan, Stopped> =>
  ok({ audience: "owner", settings: { privacy_level: "SELF_ONLY" }, sample: "video" });

/** A post that only its creator sees has its task's id. */
export async function readBack(
  { fetch, accessToken, now }: AccountCall,
  publishId: string,
): Promise<Result<ReadBack, Stopped>> {
  const reply = await readStatusReply(await fetch(statusRequest(accessToken, publishId)));
  return reply.ok ? seen(reply.value.status) : refuse(toRefused(reply.error, now()));
}
