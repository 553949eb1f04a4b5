import { ok, type Result, refuse } from "../../core/result.ts";
import type { Bookmark, Stopped } from "../connector.ts";
import { seen } from "../kit/rehearsals.ts";
import { bookmark as places } from "../meta/containers.ts";
import type { RehearsalPlan } from "../rehearsal.ts";
import type { AccountCall, ReadBack } from "../removal.ts";
import { getContainerRequest, readGetContainerReply } from "./api.ts";
import { judge } from "./failures.ts";

export const plan = (): Result<RehearsalPlan, Stopped> =>
  ok({ audience: "nobody", settings: { media_type: "IMAGE" }, sample: "image" });

/** @throws Error for a bookmark without a container */
export function draftId(bookmark: Bookmark): string {
  const place = places.parse(bookmark);
  if (place.stage === "container") return place.containerId;
  throw new Error(`Instagram prepared no container: ${place.stage}.`);
}

export async function readBack(
  { fetch, accessToken }: AccountCall,
  containerId: string,
): Promise<Result<ReadBack, Stopped>> {
  const request = getContainerRequest(accessToken, containerId);
  const reply = await readGetContainerReply(await fetch(request));
  return reply.ok ? seen(reply.value.status) : refuse(judge.toRefused(reply.error));
}
