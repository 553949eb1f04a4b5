import { type Code, takeCodeOf } from "../kit/codes.ts";
import { Refusal } from "../kit/refusal.ts";
import type { GraphCall } from "./graph.ts";

/** Source: Meta, "Business Login". */
export const codeError = (error_message: string): Refusal =>
  new Refusal(400, { error_type: "OAuthException", code: 400, error_message });

interface CodeRefusals {
  wrongApp: string;
  /** Meta answers a missing secret with the same message. */
  wrongRedirect: string;
  expired: string;
  unknown: string;
}

/** @throws Refusal for an invalid code or form */
export function takeMetaCode(
  call: GraphCall,
  platform: "instagram" | "threads",
  refusals: CodeRefusals,
): Code {
  const { params } = call.var;
  if (params.get("grant_type") !== "authorization_code") {
    throw codeError("Invalid grant_type: must be authorization_code");
  }
  if (!params.get("client_id")) throw codeError(refusals.wrongApp);
  if (!params.get("client_secret")) throw codeError(refusals.wrongRedirect);
  const code = takeCodeOf(call, platform, params.get("code") ?? null);
  if (code === "expired") throw codeError(refusals.expired);
  if (typeof code === "string") throw codeError(refusals.unknown);
  if (code.client_id !== params.get("client_id")) throw codeError(refusals.wrongApp);
  if (code.redirect_uri !== params.get("redirect_uri")) throw codeError(refusals.wrongRedirect);
  return code;
}

/** Source: Meta, "Business Login". */
export const DECLINED = {
  error: "access_denied",
  error_reason: "user_denied",
  error_description: "The user denied your request",
};
