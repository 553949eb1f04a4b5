import * as z from "zod";
import { toHex } from "../../core/ids.ts";
import { isSigned } from "../../core/signature.ts";
import { SECOND } from "../../core/time.ts";
import type { Withdrawals } from "../consent.ts";
import { parseJson } from "../kit/replies.ts";
import { maybeText } from "../kit/shapes.ts";
import { withTextIds } from "./graph.ts";

const payload = z.object({
  algorithm: z.literal("HMAC-SHA256"),
  user_id: maybeText,
  /** Seconds since 1970. */
  issued_at: z.number().positive().nullish().catch(null),
});

const BASE64URL = /^[A-Za-z0-9_-]+$/;

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.fromBase64(text, { alphabet: "base64url" });

/**
 * Meta's report of a removed app or a deletion request.
 * @see https://developers.facebook.com/docs/development/create-an-app/app-dashboard/data-deletion-callback
 */
export const read: Withdrawals["read"] = async ({ body }, clientSecret) => {
  const signedRequest = new URLSearchParams(body).get("signed_request") ?? "";
  const [signature = "", text = "", more] = signedRequest.split(".");
  if (!BASE64URL.test(signature) || !BASE64URL.test(text) || more !== undefined) return null;
  let hex: string;
  let json: string;
  try {
    hex = toHex(fromBase64Url(signature));
    json = new TextDecoder().decode(fromBase64Url(text));
  } catch {
    return null;
  }
  if (!(await isSigned(clientSecret, text, hex))) return null;
  const parsed = payload.safeParse(parseJson(withTextIds(json)));
  if (!parsed.success) return null;
  const { user_id, issued_at } = parsed.data;
  return { platformUserId: user_id, at: issued_at ? new Date(issued_at * SECOND) : null };
};
