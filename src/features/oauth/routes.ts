import { type Context, Hono } from "hono";
import { cors } from "hono/cors";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { AppError } from "../../core/errors.ts";
import { readOAuthToken } from "../../core/oauth-token.ts";
import { decodeUtf8 } from "../../core/text.ts";
import { bodyOf } from "../../http/body.ts";
import { countGrant, countVisitor } from "../../http/caller.ts";
import { type AppEnv, publicOrigin } from "../../http/env.ts";
import { authenticateClient, type Client, readCredentials } from "./clients.ts";
import { beginDevice, requireDeviceClient } from "./device.ts";
import { logStep } from "./log.ts";
import { ENDPOINTS } from "./metadata.ts";
import { OAuthRefusal } from "./refusal.ts";
import { registerClient } from "./registration.ts";
import { revokeTokenText } from "./revoke.ts";
import { DEVICE_GRANT } from "./rules.ts";
import { exchangeCode, exchangeDeviceCode, type Issued, renew } from "./token.ts";

const MAX_BODY_BYTES = 16_384;

/** What programs call, without a person. */
export const oauthRoutes = new Hono<AppEnv>();

type OAuthContext = Context<AppEnv>;

const forPagesOfOthers = cors({
  origin: "*",
  allowMethods: ["POST"],
  allowHeaders: ["authorization", "content-type"],
});

for (const path of [
  ENDPOINTS.token,
  ENDPOINTS.registration,
  ENDPOINTS.revocation,
  ENDPOINTS.deviceAuthorization,
]) {
  oauthRoutes.use(path, forPagesOfOthers);
}

async function bodyText(c: OAuthContext): Promise<string> {
  const bytes = await bodyOf(c.req.raw).readAll(MAX_BODY_BYTES, async () => {});
  return decodeUtf8(bytes) ?? "";
}

/** @throws OAuthRefusal invalid_request for another content type or a parameter that is there twice */
async function readParameters(c: OAuthContext): Promise<URLSearchParams> {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) {
    throw new OAuthRefusal(
      "invalid_request",
      "Send the parameters with Content-Type: application/x-www-form-urlencoded.",
    );
  }
  const parameters = new URLSearchParams(await bodyText(c));
  const repeated = [...parameters.keys()].find(
    (name) => name !== "resource" && parameters.getAll(name).length > 1,
  );
  if (repeated === undefined) return parameters;
  throw new OAuthRefusal("invalid_request", `${repeated} must be there once.`);
}

/** @throws AppError RATE_LIMIT */
async function countPresented(c: OAuthContext, token: string | null): Promise<void> {
  const known = token === null ? null : await readOAuthToken(token, c.var.deps.config.signingKey);
  await (known ? countGrant(c, known.grantKey, "oauth") : countVisitor(c, "oauth"));
}

function refuse(c: OAuthContext, refusal: OAuthRefusal): Response {
  c.header("Cache-Control", "no-store");
  if (refusal.code === "invalid_client" && c.req.header("authorization") !== undefined) {
    c.header("WWW-Authenticate", 'Basic realm="Akimbo"');
  }
  const { code, message, status } = refusal;
  return c.json({ error: code, error_description: message }, status as ContentfulStatusCode);
}

oauthRoutes.post(ENDPOINTS.token, async (c) => {
  let clientId: string | null = null;
  let grantType: string | null = null;
  try {
    const parameters = await readParameters(c);
    grantType = parameters.get("grant_type");
    await countPresented(
      c,
      parameters.get("code") ?? parameters.get("refresh_token") ?? parameters.get("device_code"),
    );
    const credentials = readCredentials(c.req.header("authorization") ?? null, parameters);
    clientId = credentials.id;
    const client = await authenticateClient(c.var.deps, credentials);
    const { answer, grantId } = await issue(c, client, parameters);
    logStep(c.var.deps, { step: stepOf(grantType), outcome: "done", client: clientId, grantId });
    c.header("Cache-Control", "no-store");
    return c.json(answer);
  } catch (error) {
    const refusal = toRefusal(c, error);
    const { reason } = refusal;
    // A device asks every few seconds.
    if (refusal.code !== "authorization_pending") {
      const step = stepOf(grantType);
      logStep(c.var.deps, { step, outcome: "refused", reason, client: clientId });
    }
    return refuse(c, refusal);
  }
});

function stepOf(grantType: string | null) {
  if (grantType === "refresh_token") return "refresh";
  return grantType === DEVICE_GRANT ? "device" : "code";
}

/** @throws the error itself, unless it is a refusal of OAuth or can be said as one */
function toRefusal(c: OAuthContext, error: unknown): OAuthRefusal {
  if (error instanceof OAuthRefusal) return error;
  if (error instanceof AppError && error.status === 413) {
    return new OAuthRefusal("invalid_request", error.message);
  }
  if (error instanceof AppError && error.code === "RATE_LIMIT") {
    c.header("Retry-After", error.headers["Retry-After"]);
    return new OAuthRefusal("temporarily_unavailable", error.message, "rate_limit");
  }
  throw error;
}

function issue(c: OAuthContext, client: Client, parameters: URLSearchParams): Promise<Issued> {
  const { deps } = c.var;
  const resources = parameters.getAll("resource");
  const origin = publicOrigin(deps, c.req.url);
  switch (parameters.get("grant_type")) {
    case "authorization_code":
      return exchangeCode(deps, {
        client,
        code: required(parameters, "code"),
        verifier: required(parameters, "code_verifier"),
        redirectUri: parameters.get("redirect_uri"),
        resources,
        origin,
      });
    case "refresh_token": {
      const refreshToken = required(parameters, "refresh_token");
      return renew(deps, { client, refreshToken, resources, origin });
    }
    case DEVICE_GRANT: {
      requireDeviceClient(client);
      const deviceCode = required(parameters, "device_code");
      return exchangeDeviceCode(deps, { client, deviceCode, resources, origin });
    }
    default:
      throw new OAuthRefusal(
        "unsupported_grant_type",
        `grant_type must be authorization_code, refresh_token or ${DEVICE_GRANT}.`,
      );
  }
}

function required(parameters: URLSearchParams, name: string): string {
  const value = parameters.get(name);
  if (value) return value;
  throw new OAuthRefusal("invalid_request", `${name} is missing.`);
}

oauthRoutes.post(ENDPOINTS.deviceAuthorization, async (c) => {
  await countVisitor(c, "oauth");
  let clientId: string | null = null;
  try {
    const parameters = await readParameters(c);
    const credentials = readCredentials(c.req.header("authorization") ?? null, parameters);
    clientId = credentials.id;
    const answer = await beginDevice(c.var.deps, {
      client: await authenticateClient(c.var.deps, credentials),
      scope: parameters.get("scope"),
      resources: parameters.getAll("resource"),
      origin: publicOrigin(c.var.deps, c.req.url),
    });
    logStep(c.var.deps, { step: "device", outcome: "shown", client: clientId });
    c.header("Cache-Control", "no-store");
    return c.json(answer);
  } catch (error) {
    const refusal = toRefusal(c, error);
    const { reason } = refusal;
    logStep(c.var.deps, { step: "device", outcome: "refused", reason, client: clientId });
    return refuse(c, refusal);
  }
});

oauthRoutes.post(ENDPOINTS.registration, async (c) => {
  try {
    await countVisitor(c, "oauth-register");
    const client = await registerClient(c.var.deps, await readJson(c));
    logStep(c.var.deps, { step: "register", outcome: "done", client: client.client_id });
    c.header("Cache-Control", "no-store");
    return c.json(client, 201);
  } catch (error) {
    const refusal = toRefusal(c, error);
    logStep(c.var.deps, { step: "register", outcome: "refused", reason: refusal.reason });
    return refuse(c, refusal);
  }
});

async function readJson(c: OAuthContext): Promise<unknown> {
  const text = await bodyText(c);
  try {
    return JSON.parse(text);
  } catch {
    throw new OAuthRefusal("invalid_client_metadata", "The body is not valid JSON.");
  }
}

/** Answers 200 for unknown tokens too. Source: RFC 7009, 2.2. */
oauthRoutes.post(ENDPOINTS.revocation, async (c) => {
  try {
    const parameters = await readParameters(c);
    const token = required(parameters, "token");
    await countPresented(c, token);
    const credentials = readCredentials(c.req.header("authorization") ?? null, parameters);
    const client = await authenticateClient(c.var.deps, credentials);
    const grantId = await revokeTokenText(c.var.deps, client, token);
    logStep(c.var.deps, { step: "revoke", outcome: "done", client: client.id, grantId });
    c.header("Cache-Control", "no-store");
    return c.body(null, 200);
  } catch (error) {
    const refusal = toRefusal(c, error);
    logStep(c.var.deps, { step: "revoke", outcome: "refused", reason: refusal.reason });
    return refuse(c, refusal);
  }
});
