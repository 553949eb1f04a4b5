import type { Context, Hono } from "hono";
import { randomHex } from "../../core/ids.ts";
import type { createConsent } from "../kit/consent.tsx";
import { bearerOf, pickFields, readBody } from "../kit/input.ts";
import { Refusal } from "../kit/refusal.ts";
import { createApp, idOf, type SandboxEnv } from "../kit/simulator.ts";

interface GraphEnv extends SandboxEnv {
  Variables: {
    /** From query and form, without the access token. */
    params: Map<string, string>;
    /** From the header or `access_token`. */
    token: string | null;
    chunk?: Blob;
  };
}

export type GraphCall = Context<GraphEnv>;

interface GraphErrorDetails {
  type?: string;
  subcode?: number;
  status?: number;
  isTransient?: boolean;
  userMessage?: string;
  data?: object;
}

export function graphError(
  code: number,
  message: string,
  details: GraphErrorDetails = {},
): Refusal {
  const { type = "OAuthException", subcode, isTransient = false, userMessage, data } = details;
  const error = {
    message,
    type,
    code,
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
    is_transient: isTransient,
    ...(userMessage === undefined
      ? {}
      : { error_user_title: "The post could not be made", error_user_msg: userMessage }),
    fbtrace_id: `A${randomHex(11)}`,
    ...(data && { error_data: data }),
  };
  return new Refusal(details.status ?? 400, { error });
}

export const invalidParameter = (message: string): Refusal => graphError(100, `(#100) ${message}`);

export const mediaError = (
  code: number,
  subcode: number,
  userMessage: string,
  data?: object,
): Refusal => graphError(code, `(#${code}) ${userMessage}`, { subcode, userMessage, data });

export const unsupported = (verb: string, id: string): Refusal =>
  graphError(
    100,
    `Unsupported ${verb.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    { type: "GraphMethodException", subcode: 33 },
  );

export const serverError = (nth: number): Refusal =>
  graphError(2, "An unexpected error has occurred. Please retry your request later.", {
    status: nth % 2 === 1 ? 500 : 503,
    isTransient: true,
  });

const MAX_BODY_BYTES = 200_000;

const toText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

export async function readFields({ req }: GraphCall): Promise<[string, string][]> {
  const bytes = await readBody(req.raw, MAX_BODY_BYTES);
  if (!bytes) throw invalidParameter("The request is too large.");
  if (bytes.byteLength === 0) return [];
  const text = new TextDecoder().decode(bytes);
  const type = req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/x-www-form-urlencoded") return [...new URLSearchParams(text)];
  if (type !== "application/json") throw invalidParameter(`Unsupported content type ${type}`);
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null || Array.isArray(body)) throw new Error();
    return Object.entries(body).map(([name, value]) => [name, toText(value)]);
  } catch {
    throw invalidParameter("The body is not a JSON object.");
  }
}

interface ConsentPlace {
  consent: ReturnType<typeof createConsent>;
  places: readonly string[];
}

export function createGraphApp(
  notFound: (call: GraphCall) => Refusal,
  { consent, places }: ConsentPlace,
  readBodyFields = readFields,
): Hono<GraphEnv> {
  const app = createApp<GraphEnv>(notFound, { isStrict: false });
  // Before the middleware, because the consent page reads its own form.
  for (const place of places) app.get(place, consent.show).post(place, consent.answer);
  return app.use(async (call, next) => {
    const fields = call.req.method === "GET" ? [] : await readBodyFields(call);
    const params = new Map([...new URL(call.req.url).searchParams, ...fields]);
    call.set("params", params);
    call.set("token", bearerOf(call) ?? params.get("access_token") ?? null);
    params.delete("access_token");
    takeProof(params);
    await next();
  });
}

/**
 * Checks only the format, because the simulator does not check which app calls.
 *
 * @throws Refusal for a malformed proof
 */
function takeProof(params: Map<string, string>): void {
  const proof = params.get("appsecret_proof");
  if (proof !== undefined && !/^[0-9a-f]{64}$/.test(proof)) {
    throw graphError(100, "Invalid appsecret_proof provided in the API argument", {
      type: "GraphMethodException",
    });
  }
  params.delete("appsecret_proof");
}

export function requireSelf(call: GraphCall, { userId }: { userId: string }): void {
  const id = idOf(call);
  if (id !== userId && id !== "me") throw unsupported(call.req.method, id);
}

/** `a,b.limit(0){c,d}` has `a` and `b`. */
export function topFields(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let name = "";
  for (const character of `${text},`) {
    if (character === "," && depth === 0) {
      if (name !== "") names.push(/^\w*/.exec(name)?.[0] || name);
      name = "";
      continue;
    }
    if (character === "{" || character === "(") depth++;
    if (character === "}" || character === ")") depth--;
    name += character;
  }
  if (depth !== 0 || name !== "") throw invalidParameter("Syntax error in the field list");
  return names;
}

export function pickRequested(
  { var: { params } }: GraphCall,
  object: Record<string, unknown>,
  defaults: readonly string[],
  toNames = (fields: string) => fields.split(",").filter(Boolean),
): Record<string, unknown> {
  const fields = params.get("fields");
  const names = fields === undefined ? [...defaults] : toNames(fields);
  for (const name of names) {
    if (!Object.hasOwn(object, name)) {
      throw invalidParameter(`Tried accessing nonexisting field (${name})`);
    }
  }
  return pickFields(object, [...names, "id"]);
}

export function readFlag(params: Map<string, string>, name: string, otherwise: boolean): boolean {
  const value = params.get(name) ?? String(otherwise);
  if (value === "true" || value === "false") return value === "true";
  throw invalidParameter(`Param ${name} must be a boolean`);
}

/** Meta fetches only https; development adds localhost. */
export function isReachable(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || hostname === "localhost" || hostname === "127.0.0.1";
}

export const toGraphTimestamp = (at: number): string =>
  new Date(at).toISOString().replace(/\.\d+Z$/, "+0000");
