import { AppError } from "../../core/errors.ts";
import { newGrantKey, newOAuthToken } from "../../core/oauth-token.ts";
import { sha256Hex } from "../../core/signature.ts";
import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import type { PersonCtx } from "../auth/signed-in.ts";
import type { GrantRequest } from "./authorize.ts";
import { CLI_CLIENT, type Client } from "./clients.ts";
import { type Consent, grantOf } from "./consent.ts";
import { ENDPOINTS } from "./metadata.ts";
import { OAuthRefusal } from "./refusal.ts";
import { insertCode } from "./repo/codes.ts";
import * as repo from "./repo/devices.ts";
import {
  DEVICE_LIFETIME_MS,
  newUserCode,
  POLL_SECONDS,
  readResource,
  readScopes,
  readUserCode,
  showUserCode,
} from "./rules.ts";

/** A request whose person has not answered. */
export interface DeviceRequest extends GrantRequest {
  hash: string;
  key: string;
  userCode: string;
  expiresAt: Date;
}

/**
 * Only the command line has devices: a code that people type is what thieves ask them for.
 *
 * @throws OAuthRefusal unauthorized_client
 */
export function requireDeviceClient({ id }: Client): void {
  if (id === CLI_CLIENT.id) return;
  throw new OAuthRefusal("unauthorized_client", "Only Akimbo's command line signs in by a code.");
}

interface DeviceAuthorization {
  client: Client;
  scope: string | null;
  resources: readonly string[];
  origin: string;
}

/**
 * Begins a sign-in on a device without a browser.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8628#section-3.2
 * @throws OAuthRefusal unauthorized_client, invalid_target, invalid_scope
 */
export async function beginDevice(
  deps: Deps,
  { client, scope, resources, origin }: DeviceAuthorization,
) {
  requireDeviceClient(client);
  const resource = readResource(resources, origin, "api");
  const scopes = readScopes(scope, resource);
  const key = newGrantKey();
  const deviceCode = await newOAuthToken("device", key, deps.config.signingKey);
  const userCode = newUserCode();
  await deps.db.run([
    repo.insertDevice({
      hash: await sha256Hex(deviceCode),
      userCode,
      key,
      clientId: client.id,
      resource,
      scopes: JSON.stringify(scopes),
      expiresAt: new Date(deps.now().getTime() + DEVICE_LIFETIME_MS),
      intervalSeconds: POLL_SECONDS,
    }),
  ]);
  const page = origin + ENDPOINTS.device;
  const shown = showUserCode(userCode);
  return {
    device_code: deviceCode,
    user_code: shown,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${shown}`,
    expires_in: DEVICE_LIFETIME_MS / SECOND,
    interval: POLL_SECONDS,
  };
}

const toRequest = ({ hash, key, userCode, resource, scopes, expiresAt }: repo.DeviceRow) => ({
  client: CLI_CLIENT,
  hash,
  key,
  userCode,
  resource,
  scopes,
  expiresAt,
});

/** Returns null for a code that no device shows now, and for one that a person has answered. */
export async function findDeviceByUserCode(
  { db, now }: Deps,
  text: string,
): Promise<DeviceRequest | null> {
  const userCode = readUserCode(text);
  if (userCode === null) return null;
  const [[row]] = await db.run([repo.openDeviceByUserCode({ userCode, at: now() })]);
  return row ? toRequest(row) : null;
}

const answered = () =>
  new AppError(
    null,
    "This code has expired or was answered already. Start again in the terminal.",
    { status: 409 },
  );

/** @throws AppError 409 for a request that is over or was answered */
export async function getDevice({ db, now }: Deps, hash: string): Promise<DeviceRequest> {
  const [[row]] = await db.run([repo.openDeviceByHash({ hash, at: now() })]);
  if (row) return toRequest(row);
  throw answered();
}

/** @throws AppError 400 for nothing allowed, 409 for a request that was answered meanwhile */
export async function allowDevice(
  ctx: PersonCtx,
  request: DeviceRequest,
  consent: Consent,
): Promise<void> {
  const [inserted] = await ctx.db.run([
    insertCode({
      ...grantOf(ctx, request, consent),
      hash: request.hash,
      key: request.key,
      clientHost: "by a code",
      redirectUri: "",
      challenge: "",
      expiresAt: request.expiresAt,
    }),
  ]);
  if (inserted === 0) throw answered();
}

/** @throws AppError 409 for a request that was answered meanwhile */
export async function denyDevice({ db, now }: Deps, { hash }: DeviceRequest): Promise<void> {
  const [denied] = await db.run([repo.denyDevice({ hash, at: now() })]);
  if (denied === 0) throw answered();
}
