import { createConsent, readConsentRequest, refusalPage } from "../kit/consent.tsx";
import { readMultipart } from "../kit/input.ts";
import { codeError, DECLINED, takeMetaCode } from "../meta/codes.ts";
import { type GraphCall, invalidParameter, readFields } from "../meta/graph.ts";
import { logins, toAccount, toScopedId } from "./accounts.ts";

/** Source: Meta, "Business Login for Instagram". */
const SCOPES = [
  "instagram_business_basic",
  "instagram_business_content_publish",
  "instagram_business_manage_messages",
  "instagram_business_manage_comments",
  "instagram_business_manage_insights",
];

/** Source: Meta, "Business Login for Instagram". */
const CODE_SECONDS = 3_600;

export const consent = createConsent({
  platform: "instagram",
  name: "Instagram",
  codeSeconds: CODE_SECONDS,
  hint: "Instagram itself lets people leave permissions out, but not the first. An account with “personal” in its name is no professional one.",
  fixed: ["instagram_business_basic"],
  readConsentRequest: (call) => {
    const refuse = (message: string) => refusalPage(400, `Invalid request: ${message}`);
    for (const name of ["force_reauth", "enable_fb_login"]) {
      const value = call.req.query(name) ?? "true";
      if (value !== "true" && value !== "false") throw refuse(`${name} must be a boolean.`);
    }
    const request = readConsentRequest(call, { separator: /[\s,]+/, scopes: SCOPES, refuse });
    if (!request.scopes.includes("instagram_business_basic")) {
      throw refuse("The scope instagram_business_basic is required.");
    }
    return request;
  },
  declined: DECLINED,
  suffix: "#_",
});

/** Instagram's id is a number beyond `Number.MAX_SAFE_INTEGER`. */
export async function grantToken(call: GraphCall): Promise<Response> {
  const { name, scopes } = takeMetaCode(call, "instagram", "Invalid platform app");
  const token = JSON.stringify(logins.issueShort(call, name));
  const userId = toScopedId(await toAccount(name));
  const permissions = JSON.stringify(scopes.join(","));
  return new Response(
    `{"data":[{"access_token":${token},"user_id":${userId},"permissions":${permissions}}]}`,
    { headers: { "content-type": "application/json" } },
  );
}

const MAX_FORM_BYTES = 20_000;

/** Instagram's token request is multipart/form-data. */
export async function readInstagramFields(call: GraphCall): Promise<[string, string][]> {
  const type = call.req.header("content-type") ?? "";
  if (!type.startsWith("multipart/form-data")) return readFields(call);
  const form = await readMultipart(call, MAX_FORM_BYTES);
  if (typeof form === "string") throw codeError("The form cannot be read.");
  return [...form].map(([name, value]) => {
    if (typeof value === "string") return [name, value];
    throw invalidParameter(`Param ${name} is no file`);
  });
}
