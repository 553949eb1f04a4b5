import type * as z from "zod";
import { Turns } from "../../core/turns.ts";
import type { Refusal } from "./refusal.ts";
import type { Call } from "./simulator.ts";

export const bearerOf = ({ req }: Pick<Call, "req">): string | undefined =>
  /^Bearer (.+)$/.exec(req.header("authorization") ?? "")?.[1];

const BASIC = /^Basic ((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;

export function basicOf({ req }: Pick<Call, "req">): { clientId: string; secret: string } | null {
  const encoded = BASIC.exec(req.header("authorization") ?? "")?.[1];
  const [clientId = "", secret] = atob(encoded ?? "").split(":");
  return secret === undefined ? null : { clientId, secret };
}

/** Null for a body larger than `maxBytes`. */
export async function readBody(
  request: Request,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  const turns = new Turns();
  for await (const piece of request.body ?? []) {
    size += piece.byteLength;
    if (size > maxBytes) return null;
    await turns.passed(piece.byteLength);
    pieces.push(piece);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.byteLength;
  }
  return whole;
}

interface JsonRules {
  maxBytes: number;
  mayBeEmpty?: boolean;
  wrongType(type: string): Refusal;
  /** Default: `notJson`. */
  tooLarge?(): Refusal;
  notJson(): Refusal;
  invalid(issue: z.core.$ZodIssue, body: unknown): Refusal;
}

/** @throws Refusal for an invalid or large body */
export async function readJson<T extends z.ZodType>(
  call: Call,
  shape: T,
  rules: JsonRules,
): Promise<z.output<T>> {
  const type = call.req.header("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) throw rules.wrongType(type);
  const bytes = await readBody(call.req.raw, rules.maxBytes);
  if (!bytes && rules.tooLarge) throw rules.tooLarge();
  let body: unknown;
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
    const text = decoder.decode(bytes ?? undefined);
    body = text === "" && rules.mayBeEmpty ? {} : JSON.parse(text);
  } catch {
    throw rules.notJson();
  }
  const { success, data, error } = shape.safeParse(body);
  if (success) return data;
  const [issue] = error.issues;
  throw issue ? rules.invalid(issue, body) : rules.notJson();
}

export const MAX_FORM_BYTES = 20_000;

/** Null for another content type or a large body. */
export async function readForm(call: Call): Promise<URLSearchParams | null> {
  const type = call.req.header("content-type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) return null;
  const bytes = await readBody(call.req.raw, MAX_FORM_BYTES);
  return bytes && new URLSearchParams(new TextDecoder().decode(bytes));
}

export async function readMultipart(
  call: Pick<Call, "req">,
  maxBytes: number,
): Promise<FormData | "too_large" | "malformed"> {
  const bytes = await readBody(call.req.raw, maxBytes);
  if (!bytes) return "too_large";
  const headers = { "content-type": call.req.header("content-type") ?? "" };
  return new Response(bytes, { headers }).formData().catch(() => "malformed" as const);
}

export const pickFields = (
  object: Record<string, unknown>,
  names: readonly string[],
): Record<string, unknown> =>
  Object.fromEntries(
    names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])),
  );
