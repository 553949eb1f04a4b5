import { type Code, takeCodeOf } from "../kit/codes.ts";
import { Refusal } from "../kit/refusal.ts";
import type { GraphCall } from "./graph.ts";

/** Source: Meta, "Business Login". */
export const codeError = (error_message: string): Refusal =>
  new Refusal(400, { error_type: "OAuthException", code: 400, error_message });

/** Also Meta's answer to a missing secret. */
export const OTHER_REDIRECT =
  "Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request";

/** @throws Refusal for an invalid code or form */
export function takeMetaCode(
  call: GraphCall,
  platform: "instagram" | "threads",
  wrongApp: string,
): Code {
  const { params } = call.var;
  if (params.get("grant_type") !== "authorization_code") {
    throw codeError("Invalid grant_type: must be authorization_code");
  }
  if (!params.get("client_id")) throw codeError(wrongApp);
  if (!params.get("client_secret")) throw codeError(OTHER_REDIRECT);
  const code = takeCodeOf(call, platform, params.get("code") ?? null);
  if (code === "expired") throw codeError("This authorization code has expired");
  if (typeof code === "string") throw codeError("Matching code was not found or was already used");
  if (code.client_id !== params.get("client_id")) throw codeError(wrongApp);
  if (code.redirect_uri !== params.get("redirect_uri")) throw codeError(OTHER_REDIRECT);
  return code;
}

/** Source: Meta, "Business Login". */
export const DECLINED = {
  error: "access_denied",
  error_reason: "user_denied",
  error_description: "The user denied your request",
};
