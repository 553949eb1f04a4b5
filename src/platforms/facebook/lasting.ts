import * as z from "zod";
import { ok, type Result, refuse } from "../../core/result.ts";
import type { Connector, Fetch } from "../connector.ts";
import type { AppKeys, Credentials, LoginRefusal } from "../login.ts";
import { graphId, unixTime } from "../meta/graph.ts";
import { graph, readReply, versioned } from "./api.ts";
import { identify, refreshPage } from "./auth.ts";
import { isTemporary } from "./failures.ts";

/**
 * The new token lives 60 days.
 * @see https://developers.facebook.com/docs/facebook-login/guides/access-tokens/get-long-lived
 */
export function exchangeTokenRequest(token: string, app: AppKeys): Request {
  const query = {
    grant_type: "fb_exchange_token",
    client_id: app.clientId,
    client_secret: app.clientSecret,
    fb_exchange_token: token,
  };
  return graph(versioned("oauth", "access_token"), { query });
}

/**
 * Only the app and its developer may ask.
 * @see https://developers.facebook.com/docs/graph-api/reference/debug_token
 */
export function debugTokenRequest(token: string, app: AppKeys | null): Request {
  const asker = app ? `${app.clientId}|${app.clientSecret}` : token;
  return graph(versioned("debug_token"), {
    token: asker,
    query: { input_token: token },
  });
}

export const exchanged = z.object({ access_token: z.string().min(1) });

const debugged = z.object({
  data: z.object({
    /** Epoch seconds; 0 for a token without end. */
    expires_at: z.number(),
    /**
     * 90 days after the person's last activity.
     * @see https://developers.facebook.com/docs/facebook-login/auth-vs-data
     */
    data_access_expires_at: unixTime,
    user_id: graphId.nullish().catch(null),
  }),
});

/** Exchanges a short-lived token first. Refuses a token that still expires. */
export const adopt: Required<Connector>["adopt"] = async (fetch, credentials, options, app) => {
  const { pageId } = options;
  const person = pageId !== null && app ? await exchange(fetch, credentials, app) : ok(credentials);
  if (!person.ok) return person;
  const connected = await identify(fetch, person.value, { pageId });
  if (!connected.ok) return connected;
  const { accessToken } = connected.value.credentials;
  const reply = await readReply(await fetch(debugTokenRequest(accessToken, app)), debugged);
  if (reply.ok && reply.value.data.expires_at > 0) {
    const endsAt = new Date(reply.value.data.expires_at * 1_000);
    return refuse({ message: explainEnd(endsAt, pageId, app), final: true });
  }
  const isWorthRepeating = !reply.ok && app !== null && isTemporary(reply.error);
  if (isWorthRepeating) return refuse({ message: reply.error.message, final: false });
  if (!reply.ok) return connected;
  const { user_id: platformUserId, data_access_expires_at: dataAccessEndsAt } = reply.value.data;
  const { profile, credentials: lasting } = connected.value;
  return ok({
    profile: { ...profile, ...(platformUserId ? { platformUserId } : {}) },
    credentials: { ...lasting, ...(dataAccessEndsAt ? { dataAccessEndsAt } : {}) },
  });
};

/** Without an answer, the known end stays. Refuses when none is known. */
async function readDataAccess(
  fetch: Fetch,
  { accessToken, dataAccessEndsAt = null }: Credentials,
  app: AppKeys | null,
): Promise<Result<Date | null, LoginRefusal>> {
  if (!app) return ok(dataAccessEndsAt);
  try {
    const reply = await readReply(await fetch(debugTokenRequest(accessToken, app)), debugged);
    if (reply.ok) return ok(reply.value.data.data_access_expires_at ?? dataAccessEndsAt);
    if (dataAccessEndsAt !== null || !isTemporary(reply.error)) return ok(dataAccessEndsAt);
    return refuse({ message: reply.error.message, final: false });
  } catch (error) {
    if (dataAccessEndsAt === null) throw error;
    return ok(dataAccessEndsAt);
  }
}

/** Only a person can replace a refused token. */
export const refresh: Connector["refresh"] = async (fetch, credentials, account, app) => {
  const page = await refreshPage(fetch, credentials, account.platformAccountId);
  if (!page.ok) return page;
  const known = { ...page.value, dataAccessEndsAt: credentials.dataAccessEndsAt ?? null };
  const looked = await readDataAccess(fetch, known, app);
  if (!looked.ok) return looked;
  const dataAccessEndsAt = looked.value;
  return ok({ ...page.value, ...(dataAccessEndsAt ? { dataAccessEndsAt } : {}) });
};

async function exchange(
  fetch: Fetch,
  credentials: Credentials,
  app: AppKeys,
): Promise<Result<Credentials, LoginRefusal>> {
  const request = exchangeTokenRequest(credentials.accessToken, app);
  const reply = await readReply(await fetch(request), exchanged);
  if (reply.ok) return ok({ ...credentials, accessToken: reply.value.access_token });
  const { message } = reply.error;
  return isTemporary(reply.error) ? refuse({ message, final: false }) : ok(credentials);
}

function explainEnd(endsAt: Date, pageId: string | null, app: AppKeys | null): string {
  const end = `This login would end at ${endsAt.toISOString()}: it comes from a short-lived token.`;
  const keys = "set FACEBOOK_CLIENT_ID and FACEBOOK_CLIENT_SECRET, so that it is exchanged";
  const page = "with the id of the Page as pageId";
  if (pageId === null) {
    return app
      ? `${end} Send the person's token ${page}: it is exchanged for one that lasts.`
      : `${end} Send a long-lived token of the person ${page}, or ${keys}.`;
  }
  return app
    ? `${end} It could not be exchanged: send a token that was given to the app of FACEBOOK_CLIENT_ID.`
    : `${end} Send a long-lived one, or ${keys}.`;
}
