import * as z from "zod";
import type { OtherApp } from "../../core/platforms.ts";
import type { Fetch } from "../fetch.ts";
import type { AppCheck, AppKeys } from "../login.ts";
import { unknownApp } from "./logins.ts";
import { capped, parseJson, readText } from "./replies.ts";
import { maybeText } from "./shapes.ts";

const MAX_REPLY_BYTES = 64 * 1_024;

/** An invented code and PKCE verifier, to test an app's keys. */
export const NO_CODE = "akimbo-app-check";
export const NO_VERIFIER = "akimbo-app-check-akimbo-app-check-akimbo-app";

interface TokenAnswer {
  status: number;
  token: string | null;
  error: string | null;
  wording: string;
}

const name = z
  .union([z.string(), z.number()])
  .nullish()
  .catch(null)
  .transform((value) => (value === null || value === undefined ? null : String(value)));

const answerBody = z.object({
  access_token: maybeText,
  error: z
    .union([z.string(), z.object({ code: name, message: maybeText })])
    .nullish()
    .catch(null),
  error_description: maybeText,
  code: name,
  message: maybeText,
});

async function readAnswer(reply: Response): Promise<TokenAnswer> {
  const body = answerBody.safeParse(parseJson(await readText(reply, MAX_REPLY_BYTES))).data;
  const { error = null, access_token = null } = body ?? {};
  const nested = error !== null && typeof error === "object" ? error : null;
  return {
    status: reply.status,
    token: reply.ok ? access_token : null,
    error: nested?.code ?? (typeof error === "string" ? error : null) ?? body?.code ?? null,
    wording: capped(nested?.message ?? body?.error_description ?? body?.message ?? ""),
  };
}

interface AppProbe {
  platform: string;
  other?: OtherApp | undefined;
  request: Request;
  isRight(answer: TokenAnswer): boolean;
  isWrong(answer: TokenAnswer): boolean;
  isUnknownAddress?(answer: TokenAnswer): boolean;
  leavesOpen?: string;
}

export async function probeApp(
  fetch: Fetch,
  { platform, other, request, isRight, isWrong, isUnknownAddress, leavesOpen }: AppProbe,
): Promise<AppCheck> {
  let answer: TokenAnswer;
  try {
    answer = await readAnswer(await fetch(request));
  } catch {
    return { verdict: "unknown", message: `${platform} did not answer. Try again later.` };
  }
  const { status, wording } = answer;
  const words = wording.replace(/\.$/, "") || `HTTP ${status}`;
  if (status === 429 || status >= 500) {
    return { verdict: "unknown", message: `${platform} has a problem: ${words}. Try again later.` };
  }
  if (isWrong(answer)) return { verdict: "wrong", message: unknownApp(platform, words, other) };
  if (isUnknownAddress?.(answer)) {
    const message = `${platform} knows the app, but not the redirect URL: register it there.`;
    return { verdict: "wrong", message, isAboutRedirect: true };
  }
  if (!isRight(answer)) {
    return {
      verdict: "unknown",
      message: `${platform} gave an unclear answer: ${words}.`,
    };
  }
  const right = `${platform} knows the app and its secret.`;
  return { verdict: "right", message: leavesOpen ? `${right} ${leavesOpen}` : right };
}

/** Source: RFC 6749, 4.4. */
export const clientGrant = ({ clientId, clientSecret }: AppKeys) => ({
  grant_type: "client_credentials",
  client_id: clientId,
  client_secret: clientSecret,
});
