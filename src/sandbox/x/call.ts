import type * as z from "zod";
import { readBody } from "../kit/input.ts";
import type { SimulatedCall } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";

/** What an endpoint of the simulated API is given. */
export interface XCall extends SimulatedCall {
  store: SandboxStore;
}

type ProblemType =
  | "invalid-request"
  | "resource-not-found"
  | "client-forbidden"
  | "usage-capped"
  | "about:blank";

interface Problem {
  status: number;
  title: string;
  detail: string;
  type?: ProblemType;
  /** Beside the rest; names the parameters that are meant. */
  errors?: { message: string; parameters?: Record<string, string[]> }[];
  headers?: Record<string, string>;
}

const PROBLEMS = "https://api.x.com/2/problems/";

/** A refusal in X's own form. */
export class XError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }

  toResponse(): Response {
    const { status, title, detail, type = "about:blank", errors, headers } = this.problem;
    const address = type === "about:blank" ? type : PROBLEMS + type;
    const body = errors
      ? { errors, title, detail, type: address }
      : { title, detail, type: address, status };
    return Response.json(body, { status, headers });
  }
}

export const unauthorized = () =>
  new XError({ status: 401, title: "Unauthorized", detail: "Unauthorized" });

export const forbidden = (detail: string, type?: ProblemType) =>
  new XError({ status: 403, title: "Forbidden", detail, type });

export const invalidRequest = (message: string, parameters?: Record<string, string[]>) =>
  new XError({
    status: 400,
    title: "Invalid Request",
    detail: "One or more parameters to your request was invalid.",
    type: "invalid-request",
    errors: [{ message, parameters }],
  });

export const notFound = (detail: string) =>
  new XError({ status: 404, title: "Not Found Error", detail, type: "resource-not-found" });

/** What X's edge says to a body that is too large: nothing. */
export class TooLarge extends Error {
  toResponse(): Response {
    return new Response(null, { status: 413 });
  }
}

const MAX_JSON_BYTES = 500_000;

/** The JSON body in its shape; unknown keys are refused by strict shapes. */
export async function readInput<T extends z.ZodType>(call: XCall, shape: T): Promise<z.output<T>> {
  const type = call.request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw invalidRequest(`The Content-Type "${type}" is not supported.`);
  }
  const bytes = await readBody(call.request, MAX_JSON_BYTES);
  if (!bytes) throw new TooLarge();
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw invalidRequest("The body is not valid JSON.");
  }
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidRequest(`$.${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
}

const MAX_FORM_BYTES = 10_000;

/** A form of names and values, as OAuth has them; null for anything else. */
export async function readForm(call: XCall): Promise<URLSearchParams | null> {
  const type = call.request.headers.get("content-type") ?? "";
  if (!type.startsWith("application/x-www-form-urlencoded")) return null;
  const bytes = await readBody(call.request, MAX_FORM_BYTES);
  return bytes && new URLSearchParams(new TextDecoder().decode(bytes));
}

/** A multipart body with none but these fields. `media` is the file. */
export async function readMultipart(
  call: XCall,
  known: readonly string[],
  maxBytes: number,
): Promise<{ file: Blob; fields: Map<string, string> }> {
  const type = call.request.headers.get("content-type") ?? "";
  if (!type.startsWith("multipart/form-data")) {
    throw invalidRequest(`The Content-Type "${type}" is not supported.`);
  }
  const bytes = await readBody(call.request, maxBytes);
  if (!bytes) throw new TooLarge();
  let form: FormData;
  try {
    form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    throw invalidRequest("The multipart body cannot be read.");
  }
  let file: Blob | null = null;
  const fields = new Map<string, string>();
  for (const [name, value] of form) {
    if (!known.includes(name) || fields.has(name)) {
      throw invalidRequest(`The parameter [${name}] is not expected.`, { [name]: ["?"] });
    }
    if (typeof value === "string") fields.set(name, value);
    else if (name === "media" && !file) file = value;
    else throw invalidRequest(`The parameter [${name}] is not a file.`);
  }
  if (!file) throw invalidRequest("The parameter [media] is required.", { media: [] });
  return { file, fields };
}

/** Refuses a query with anything but these parameters. */
export function requireQuery({ url }: XCall, known: readonly string[]): URLSearchParams {
  for (const [name, value] of url.searchParams) {
    if (known.includes(name)) continue;
    throw invalidRequest(`The query parameter [${name}] is not one of [${known.join(",")}]`, {
      [name]: [value],
    });
  }
  return url.searchParams;
}

/** A list of fields, each of which has to be known; specification 2.167 knows a second name. */
export function requireFields(
  query: URLSearchParams,
  names: readonly string[],
  known: readonly string[],
): string[] {
  const fields = names.flatMap((name) => (query.get(name) ?? "").split(",")).filter(Boolean);
  const unknown = fields.find((field) => !known.includes(field));
  if (unknown === undefined) return fields;
  throw invalidRequest(
    `The \`${names[0]}\` query parameter value [${unknown}] is not one of [${known.join(",")}]`,
  );
}
