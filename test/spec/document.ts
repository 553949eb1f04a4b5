import { type Answer, Harness } from "../support/harness.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape is walked
type Json = any;

export interface Operation {
  method: string;
  /** As documented: `/api/v1/accounts/{id}`. */
  path: string;
  /** The path as the harness calls it, ids as placeholders: `/accounts/{id}`. */
  called: string;
  scope: string;
  spec: Json;
}

export async function fetchDocument(harness = new Harness()): Promise<Answer> {
  return harness.call("GET", "/openapi.json");
}

/** Every operation, those among them that need no token. */
export const allOperationsOf = (document: Json): Operation[] =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, spec]) => ({
      method: method.toUpperCase(),
      path,
      called: path.replace("/api/v1", ""),
      scope: spec["x-required-scope"],
      spec,
    })),
  );

/** The operations that need a token. */
export const operationsOf = (document: Json): Operation[] =>
  allOperationsOf(document).filter(({ spec }) => spec.security.length > 0);

/** Resolves a JSON pointer such as `#/components/schemas/Error`; undefined when nothing is there. */
export const resolve = (document: Json, pointer: string): Json =>
  pointer
    .slice(2)
    .split("/")
    .reduce(
      (node, key) => node?.[key.replaceAll("~1", "/").replaceAll("~0", "~")],
      document as Json,
    );

/** Every `$ref` of the document. */
export function refsOf(node: Json): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries<Json>(node).flatMap(([key, value]) =>
    key === "$ref" ? [value as string] : refsOf(value),
  );
}

/** The schema of an operation's answer, its references followed. */
export function answerSchema(document: Json, { spec }: Operation, status: number): Json {
  const schema = spec.responses[status]?.content["application/json"].schema;
  return schema?.$ref ? resolve(document, schema.$ref) : schema;
}

/** Lists the places in a schema without an upper bound; ids that are only looked up need none. */
export function unbounded(document: Json, node: Json, at: string): string[] {
  if (typeof node !== "object" || node === null) return [];
  if (node.$ref) return unbounded(document, resolve(document, node.$ref), node.$ref);
  const isFree = !node.enum && !["binary", "date-time"].includes(node.format);
  const isMissing =
    (node.type === "string" && isFree && node.maxLength === undefined) ||
    (node.type === "array" && node.maxItems === undefined) ||
    (node.type === "integer" && node.maximum === undefined);
  const children = Object.entries<Json>(node).filter(([key]) => key !== "enum");
  return [
    ...(isMissing ? [at] : []),
    ...children.flatMap(([key, child]) => unbounded(document, child, `${at}.${key}`)),
  ];
}
