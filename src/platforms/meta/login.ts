import * as z from "zod";
import { now } from "../../core/clock.ts";
import { ok, type Result, refuse } from "../../core/result.ts";
import { addSeconds } from "../../core/time.ts";
import type { Connector, Fetch } from "../connector.ts";
import type { ConsentRefusal } from "../consent.ts";
import {
  finalRefusal,
  type Owner,
  toConnected,
  toConsentRefusal,
  unknownApp,
} from "../kit/logins.ts";
import type { AppKeys, Connected, Credentials, LoginRefusal } from "../login.ts";
import { explainRefusal } from "./explain.ts";
import { type GraphJudge, isAboutApp } from "./failures.ts";
import { type GraphRefusal, type Reading, readGraphReply } from "./graph.ts";

/** Assumed when Meta does not say. Source: Meta, "Business Login". */
const TOKEN_LIFE_SECONDS = 60 * 86_400;
/** Meta does not renew younger tokens. Source: Meta, "Long-lived tokens". */
const YOUNG_SECONDS = 86_400;
/** Tokens that end sooner may be short-lived. */
const SHORT_SECONDS = 86_400;

const granted = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive().optional().catch(undefined),
});

const endsAfter = ({ expiresAt }: Credentials, seconds: number): boolean =>
  expiresAt !== null && expiresAt > addSeconds(now(), seconds);

export const isYoung = (credentials: Credentials): boolean =>
  endsAfter(credentials, TOKEN_LIFE_SECONDS - YOUNG_SECONDS);

/** Has no refresh token: its access token is exchanged for a new one. */
interface SelfRenewing<T> {
  platform: string;
  judge: Pick<GraphJudge, "isLoginLost" | "isTemporary">;
  meRequest(token: string): Request;
  readMe(reply: Response): Reading<T>;
  toOwner(me: T): Owner;
  refused?(me: T): string | null;
  exchangeRequest(token: string, clientSecret: string): Request;
  refreshRequest(token: string): Request;
  isLost(refusal: GraphRefusal, credentials: Credentials): boolean;
}

export function selfRenewingLogins<T>(login: SelfRenewing<T>) {
  async function grant(fetch: Fetch, request: Request): Promise<Result<Credentials, GraphRefusal>> {
    const reply = await readGraphReply(await fetch(request), granted, login.platform);
    if (!reply.ok) return reply;
    const { access_token, expires_in = TOKEN_LIFE_SECONDS } = reply.value;
    const expiresAt = addSeconds(now(), expires_in);
    return ok({ accessToken: access_token, refreshToken: null, expiresAt });
  }

  async function identify(
    fetch: Fetch,
    credentials: Credentials,
  ): Promise<Result<Connected, LoginRefusal>> {
    const reply = await login.readMe(await fetch(login.meRequest(credentials.accessToken)));
    const refusal = reply.ok ? (login.refused?.(reply.value) ?? null) : null;
    if (refusal !== null) return finalRefusal(refusal);
    const own = { ...credentials, refreshToken: null };
    return toConnected(reply, own, login.judge.isLoginLost, login.toOwner);
  }

  /** Exchanges a short-lived token for one of 60 days. Keeps a long-lived token, which Meta refuses to exchange. */
  const adopt: Required<Connector>["adopt"] = async (fetch, credentials, _options, app) => {
    if (!app || endsAfter(credentials, SHORT_SECONDS)) return identify(fetch, credentials);
    const request = login.exchangeRequest(credentials.accessToken, app.clientSecret);
    const lasting = await grant(fetch, request);
    if (lasting.ok) return identify(fetch, lasting.value);
    const { message } = lasting.error;
    return login.judge.isTemporary(lasting.error)
      ? refuse({ message, final: false })
      : identify(fetch, credentials);
  };

  async function connectLasting(
    fetch: Fetch,
    token: string,
    app: AppKeys,
  ): Promise<Result<Connected, ConsentRefusal>> {
    const lasting = await grant(fetch, login.exchangeRequest(token, app.clientSecret));
    if (!lasting.ok) return refuse(explainRefusal(login.platform, lasting.error));
    const connected = await identify(fetch, lasting.value);
    return connected.ok ? connected : refuse(toConsentRefusal(connected.error));
  }

  const refresh: Connector["refresh"] = async (fetch, credentials) => {
    const renewed = await grant(fetch, login.refreshRequest(credentials.accessToken));
    if (renewed.ok) return renewed;
    const { message } = renewed.error;
    return isAboutApp(renewed.error)
      ? refuse({ message: unknownApp(login.platform, message), final: false })
      : refuse({ message, final: login.isLost(renewed.error, credentials) });
  };

  return { identify, adopt, connectLasting, refresh };
}
