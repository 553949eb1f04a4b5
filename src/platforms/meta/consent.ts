import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { ConsentRefusal, ConsentReturn } from "../consent.ts";
import type { Fetch } from "../fetch.ts";
import { readScopes, refusedConsent } from "../kit/consents.ts";
import type { AppKeys } from "../login.ts";
import { explainRefusal } from "./explain.ts";
import { readGraphReply, unwrapped } from "./graph.ts";

/** Permissions come as a list or as text. */
const granted = z.preprocess(
  unwrapped,
  z.object({
    access_token: z.string().min(1),
    permissions: z
      .union([z.string().transform(readScopes), z.array(z.string())])
      .nullish()
      .catch(null),
  }),
);

/** Meta appends this to callback URLs, from which codes may be copied. */
const SUFFIX = /#_(?:=_)?$/;

/** Meta's replies are not standard OAuth. */
export async function exchangeMetaCode(
  fetch: Fetch,
  platform: string,
  toRequest: (fields: Record<string, string>) => Request,
  { query, redirectUri }: Pick<ConsentReturn, "query" | "redirectUri">,
  { clientId, clientSecret }: AppKeys,
): Promise<Result<{ accessToken: string; scopes: string[] | null }, ConsentRefusal>> {
  const refused = refusedConsent(query, platform);
  if (refused) return refuse(refused);
  const request = toRequest({
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: "authorization_code",
    redirect_uri: redirectUri,
    code: (query.get("code") ?? "").replace(SUFFIX, ""),
  });
  const reply = await readGraphReply(await fetch(request), granted, platform);
  if (!reply.ok) return refuse(explainRefusal(platform, reply.error, redirectUri));
  const { access_token: accessToken, permissions = null } = reply.value;
  return ok({ accessToken, scopes: permissions });
}
