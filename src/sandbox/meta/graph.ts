import { randomHex } from "../../core/ids.ts";
import { readBody } from "../kit/input.ts";
import type { SimulatedCall } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";

/** What an answer of the simulated API is made from. */
export interface GraphCall extends SimulatedCall {
  store: SandboxStore;
  /** Query and form together, the token taken out. */
  params: Map<string, string>;
  /** From the header, or the parameter; null when the call brings none. */
  token: string | null;
}

interface GraphErrorDetails {
  type?: string;
  subcode?: number;
  status?: number;
  isTransient?: boolean;
  /** What a person is to read. */
  userMessage?: string;
}

/** A refusal in Meta's own form. */
export class GraphError extends Error {
  readonly code: number;
  readonly details: GraphErrorDetails;

  constructor(code: number, message: string, details: GraphErrorDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  /** The object that stands under `error`. */
  toJson() {
    const { type = "OAuthException", subcode, isTransient = false, userMessage } = this.details;
    return {
      message: this.message,
      type,
      code: this.code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      is_transient: isTransient,
      ...(userMessage === undefined
        ? {}
        : { error_user_title: "The post could not be made", error_user_msg: userMessage }),
      fbtrace_id: `A${randomHex(11)}`,
    };
  }

  toResponse(): Response {
    return Response.json({ error: this.toJson() }, { status: this.details.status ?? 400 });
  }
}

/** A parameter that is missing, unknown here, or of the wrong form. */
export const invalidParameter = (message: string): GraphError =>
  new GraphError(100, `(#100) ${message}`);

/** A refusal about a post or its media, with its subcode. */
export const mediaError = (code: number, subcode: number, userMessage: string): GraphError =>
  new GraphError(code, `(#${code}) ${userMessage}`, { subcode, userMessage });

/** Nothing of that id, or nothing that the token may see, or not by this verb. */
export const unsupported = (verb: string, id: string): GraphError =>
  new GraphError(
    100,
    `Unsupported ${verb.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    { type: "GraphMethodException", subcode: 33 },
  );

/** Far more than a post's parameters; files are pulled, never sent. */
const MAX_BODY_BYTES = 200_000;

const toText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** The body's fields: a form, or a JSON object. */
async function readFields(request: Request): Promise<[string, string][]> {
  const bytes = await readBody(request, MAX_BODY_BYTES);
  if (!bytes) throw invalidParameter("The request is too large.");
  if (bytes.byteLength === 0) return [];
  const text = new TextDecoder().decode(bytes);
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
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

/** @throws GraphError for a body that cannot be read */
export async function readGraphCall(call: SimulatedCall, store: SandboxStore): Promise<GraphCall> {
  const fields = call.request.method === "GET" ? [] : await readFields(call.request);
  const params = new Map([...call.url.searchParams, ...fields]);
  const bearer = /^Bearer (.+)$/.exec(call.request.headers.get("authorization") ?? "")?.[1];
  const token = bearer ?? params.get("access_token") ?? null;
  params.delete("access_token");
  takeProof(params);
  return { ...call, store, params, token };
}

/**
 * Takes the proof of the app's secret out of the parameters. Which app asks does not matter here.
 *
 * @throws GraphError for one that cannot be any app's
 */
export function takeProof(params: Map<string, string>): void {
  const proof = params.get("appsecret_proof");
  if (proof !== undefined && !/^[0-9a-f]{64}$/.test(proof)) {
    throw new GraphError(100, "Invalid appsecret_proof provided in the API argument", {
      type: "GraphMethodException",
    });
  }
  params.delete("appsecret_proof");
}

/** The fields of an object that a read asks for; `id` always comes along. */
export function pickFields(
  call: GraphCall,
  object: Record<string, unknown>,
  defaults: readonly string[],
): Record<string, unknown> {
  const asked = call.params.get("fields")?.split(",").filter(Boolean) ?? [...defaults];
  for (const name of asked) {
    if (!Object.hasOwn(object, name)) {
      throw invalidParameter(`Tried accessing nonexisting field (${name})`);
    }
  }
  const names = [...new Set([...asked, "id"])].filter((name) => Object.hasOwn(object, name));
  return Object.fromEntries(
    names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])),
  );
}
