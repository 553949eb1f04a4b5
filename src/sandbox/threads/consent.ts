import { now } from "../../core/clock.ts";
import { DAY, SECOND } from "../../core/time.ts";
import { consentedAt, scopesOf } from "../kit/codes.ts";
import { createConsent, readConsentRequest, refusalPage } from "../kit/consent.tsx";
import { DECLINED, takeMetaCode } from "../meta/codes.ts";
import { type GraphCall, invalidParameter } from "../meta/graph.ts";
import { authenticate, logins, toAccount } from "./accounts.ts";

/** Source: Threads API, "Get access tokens and permissions". */
const SCOPES = [
  "threads_basic",
  "threads_content_publish",
  "threads_manage_insights",
  "threads_manage_replies",
  "threads_read_replies",
  "threads_delete",
  "threads_keyword_search",
  "threads_manage_mentions",
  "threads_location_tagging",
  "threads_profile_discovery",
  "threads_share_to_instagram",
];

/** Source: Threads API, "Get access tokens and permissions". */
const CODE_SECONDS = 3_600;

/** Threads shows a faulty address as an error page instead of redirecting. */
export const consent = createConsent({
  platform: "threads",
  name: "Threads",
  codeSeconds: CODE_SECONDS,
  hint: "Threads itself lets people switch permissions off, but not the first. A profile is private with “private” in its name.",
  fixed: ["threads_basic"],
  readConsentRequest: (call) => {
    const refuse = (message: string) => refusalPage(400, `Invalid Request: ${message}`);
    const request = readConsentRequest(call, { separator: /[\s,]+/, scopes: SCOPES, refuse });
    if (request.scopes.includes("threads_basic")) return request;
    throw refuse("The scope threads_basic is required.");
  },
  declined: DECLINED,
  suffix: "#_",
});

/** Threads' id is a number beyond `Number.MAX_SAFE_INTEGER`. */
export async function grantToken(call: GraphCall): Promise<Response> {
  const wrongApp = "Error validating application. Invalid application ID.";
  const { name } = takeMetaCode(call, "threads", wrongApp);
  const token = JSON.stringify(logins.issueShort(call, name));
  const { userId } = await toAccount(name);
  return new Response(
    `{"access_token":${token},"user_id":${BigInt(userId)},"token_type":"bearer"}`,
    { headers: { "content-type": "application/json" } },
  );
}

export const grantedScopes = (call: GraphCall, name: string): string[] =>
  scopesOf(call, "threads", name) ?? SCOPES.slice(0, 4);

/** Source: Threads API, "Get Started". */
const PERMISSION_MS = 90 * DAY;

/** Seconds since 1970. Only renewals for public profiles extend the permissions. */
function dataAccessEnd(call: GraphCall, name: string, token: string): number {
  const consent = consentedAt(call, "threads", name, CODE_SECONDS);
  const isPrivate = /\bprivate\b/i.test(name);
  const from = isPrivate ? (consent ?? now().getTime()) : logins.issuedAt(call, token);
  return Math.floor((from + PERMISSION_MS) / SECOND);
}

/** Every caller counts as a tester. */
export async function debugToken(call: GraphCall): Promise<Response> {
  const { account, token } = await authenticate(call);
  if (call.var.params.get("input_token") !== token) {
    throw invalidParameter("The parameter input_token must be a token of the same person.");
  }
  return Response.json({
    data: {
      type: "USER",
      application: "Sandbox",
      data_access_expires_at: dataAccessEnd(call, account.name, token),
      expires_at: Math.floor(logins.expiresAt(call, token) / SECOND),
      is_valid: true,
      scopes: grantedScopes(call, account.name),
      user_id: account.userId,
    },
  });
}
