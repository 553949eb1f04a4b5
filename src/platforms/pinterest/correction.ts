import { ok, type Result, refuse } from "../../core/result.ts";
import type { Post, Stopped } from "../connector.ts";
import type { ShownTexts } from "../correction.ts";
import { comparable } from "../kit/listings.ts";
import { failed } from "../kit/refusals.ts";
import type { AccountCall } from "../removal.ts";
import { getPinRequest, readDoneReply, readGetTextsReply, updatePinRequest } from "./api.ts";
import { toRefused } from "./failures.ts";
import { toTexts } from "./pin.ts";
import type { PinterestSettings } from "./settings.ts";

const FORBIDDEN = 403;

const BETA = "Pinterest lets only the apps of its beta edit pins, and refused this one";

export function textsOf(post: Post<PinterestSettings>): Result<ShownTexts, string> {
  const { title, description = "" } = toTexts(post);
  return ok({ title, description });
}

export async function correct(
  { fetch, accessToken, now }: AccountCall,
  id: string,
  texts: ShownTexts,
): Promise<Result<null, Stopped>> {
  const reply = await readDoneReply(await fetch(updatePinRequest(accessToken, id, texts)));
  if (reply.ok) return ok(null);
  const { status, message } = reply.error;
  const isBeta = status === FORBIDDEN;
  return refuse(isBeta ? failed("unknown", `${BETA}: ${message}`) : toRefused(reply.error, now()));
}

export async function shows(
  { fetch, accessToken, now }: AccountCall,
  id: string,
  { title, description }: ShownTexts,
): Promise<Result<boolean, Stopped>> {
  const reply = await readGetTextsReply(await fetch(getPinRequest(accessToken, id)));
  if (!reply.ok) return refuse(toRefused(reply.error, now()));
  const isSame = (wanted: string | undefined, seen: string | null | undefined) =>
    wanted === undefined || comparable(wanted) === comparable(seen);
  return ok(isSame(title, reply.value.title) && isSame(description, reply.value.description));
}
