import { AppError } from "../../core/errors.ts";
import { newGrantKey, newOAuthToken } from "../../core/oauth-token.ts";
import type { Scope } from "../../core/scopes.ts";
import { sha256Hex } from "../../core/signature.ts";
import { DAY } from "../../core/time.ts";
import type { PersonCtx } from "../auth/signed-in.ts";
import { type AuthorizationRequest, type GrantRequest, responseUrl } from "./authorize.ts";
import { insertCode } from "./repo/codes.ts";
import { CODE_LIFETIME_MS } from "./rules.ts";

/** What a person allows, never more than was asked for. */
export interface Consent {
  scopes: readonly Scope[];
  /** Ids; null for all accounts of the team, also later ones. */
  accounts: readonly string[] | null;
  /** Null: until it is ended. */
  days: number | null;
}

/** The host of an address, also of a private scheme such as `cursor://`. */
export const redirectHost = (redirectUri: string): string => new URL(redirectUri).hostname;

/**
 * What a code of the program stands for.
 *
 * @throws AppError 400 for nothing allowed, and for single accounts of the API, whose calls do not heed them
 */
export function grantOf(
  ctx: PersonCtx,
  { client, resource, scopes: requested }: GrantRequest,
  { scopes, accounts, days }: Consent,
) {
  const allowed = requested.filter((scope) => scopes.includes(scope));
  if (allowed.length === 0) {
    throw new AppError(null, "Choose what the program may do, or refuse it.");
  }
  if (accounts !== null && resource !== "mcp") {
    throw new AppError(null, "Only agents can be limited to accounts. Allow all of them.");
  }
  if (accounts?.length === 0) {
    throw new AppError(null, "Choose the accounts that the program may use, or all of them.");
  }
  return {
    clientId: client.id,
    clientKind: client.kind,
    clientName: client.name,
    resource,
    userId: ctx.actor.userId,
    teamId: ctx.actor.teamId,
    scopes: JSON.stringify(allowed),
    accounts: accounts && JSON.stringify(accounts),
    grantExpiresAt: days === null ? null : new Date(ctx.now().getTime() + days * DAY),
  };
}

/**
 * Makes a code for the program. Returns the address where the browser brings it.
 *
 * @throws AppError 400, as `grantOf`
 */
export async function allowProgram(
  ctx: PersonCtx,
  request: AuthorizationRequest,
  consent: Consent,
  origin: string,
): Promise<string> {
  const { client, redirectUri, state, challenge } = request;
  const grant = grantOf(ctx, request, consent);
  const key = newGrantKey();
  const code = await newOAuthToken("code", key, ctx.config.signingKey);
  await ctx.db.run([
    insertCode({
      ...grant,
      hash: await sha256Hex(code),
      key,
      clientHost: client.verifiedHost ?? redirectHost(redirectUri),
      redirectUri,
      challenge,
      expiresAt: new Date(ctx.now().getTime() + CODE_LIFETIME_MS),
    }),
  ]);
  return responseUrl({ redirectUri, state, origin }, { code });
}
