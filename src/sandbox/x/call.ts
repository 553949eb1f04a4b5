import type * as z from "zod";
import { readJson, readMultipart } from "../kit/input.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";

type ProblemType =
  | "invalid-request"
  | "resource-not-found"
  | "client-forbidden"
  | "not-authorized-for-resource"
  | "usage-capped";

interface Problem {
  status: number;
  title: string;
  detail: string;
  type?: ProblemType;
  errors?: { message: string; parameters?: Record<string, string[]> }[];
  headers?: Record<string, string>;
}

export function problem({ status, title, detail, type, errors, headers }: Problem): Refusal {
  const address = type ? `https://api.x.com/2/problems/${type}` : "about:blank";
  const body = errors
    ? { errors, title, detail, type: address }
    : { title, detail, type: address, status };
  return new Refusal(status, body, headers);
}

export const unauthorized = () =>
  problem({ status: 401, title: "Unauthorized", detail: "Unauthorized" });

export const forbidden = (detail: string, type?: ProblemType) =>
  problem({ status: 403, title: "Forbidden", detail, type });

export const invalidRequest = (message: string, parameters?: Record<string, string[]>) =>
  problem({
    status: 400,
    title: "Invalid Request",
    detail: "One or more parameters to your request was invalid.",
    type: "invalid-request",
    errors: [{ message, parameters }],
  });

export const notFound = (detail: string) =>
  problem({ status: 404, title: "Not Found Error", detail, type: "resource-not-found" });

const tooLarge = () => new Refusal(413);

export const readInput = <T extends z.ZodType>(call: Call, shape: T): Promise<z.output<T>> =>
  readJson(call, shape, {
    maxBytes: 500_000,
    wrongType: (type) => invalidRequest(`The Content-Type "${type}" is not supported.`),
    tooLarge,
    notJson: () => invalidRequest("The body is not valid JSON."),
    invalid: ({ path, message }) => invalidRequest(`$.${path.join(".")}: ${message}`),
  });

export async function readMedia(
  call: Call,
  allowed: readonly string[],
  maxBytes: number,
): Promise<{ file: Blob; fields: Map<string, string> }> {
  const type = call.req.header("content-type") ?? "";
  if (!type.startsWith("multipart/form-data")) {
    throw invalidRequest(`The Content-Type "${type}" is not supported.`);
  }
  const form = await readMultipart(call, maxBytes);
  if (form === "too_large") throw tooLarge();
  if (form === "malformed") throw invalidRequest("The multipart body cannot be read.");
  let file: Blob | null = null;
  const fields = new Map<string, string>();
  for (const [name, value] of form) {
    if (!allowed.includes(name) || fields.has(name)) {
      throw invalidRequest(`The parameter [${name}] is not expected.`, { [name]: ["?"] });
    }
    if (typeof value === "string") fields.set(name, value);
    else if (name === "media" && !file) file = value;
    else throw invalidRequest(`The parameter [${name}] is not a file.`);
  }
  if (!file) throw invalidRequest("The parameter [media] is required.", { media: [] });
  return { file, fields };
}

export function requireQuery({ req }: Call, allowed: readonly string[]): Record<string, string> {
  const query = req.query();
  for (const [name, value] of Object.entries(query)) {
    if (allowed.includes(name)) continue;
    throw invalidRequest(`The query parameter [${name}] is not one of [${allowed.join(",")}]`, {
      [name]: [value],
    });
  }
  return query;
}

/** X's specification 2.167 allows a second parameter name. */
export function requireFields(
  query: Record<string, string>,
  names: readonly string[],
  allowed: readonly string[],
): string[] {
  const fields = names.flatMap((name) => (query[name] ?? "").split(",")).filter(Boolean);
  const unknown = fields.find((field) => !allowed.includes(field));
  if (unknown === undefined) return fields;
  throw invalidRequest(
    `The \`${names[0]}\` query parameter value [${unknown}] is not one of [${allowed.join(",")}]`,
  );
}
