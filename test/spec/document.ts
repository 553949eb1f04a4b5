import { type Answer, Harness } from "../support/harness.ts";

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape is walked
type Json = any;

export interface Operation {
  method: string;
  /** As documented: `/api/v1/accounts/{id}`. */
  path: string;
  /** What a call through the harness takes, ids as placeholders: `/accounts/{id}`. */
  called: string;
  scope: string;
  spec: Json;
}

export async function fetchDocument(harness = new Harness()): Promise<Answer> {
  return harness.call("GET", "/openapi.json");
}

export const operationsOf = (document: Json): Operation[] =>
  Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, spec]) => ({
      method: method.toUpperCase(),
      path,
      called: path.replace("/api/v1", ""),
      scope: spec["x-required-scope"],
      spec,
    })),
  );

/** What a JSON pointer such as `#/components/schemas/Error` names; undefined when nothing. */
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

const typeOf = (value: Json): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
};

function isOfType(value: Json, type: string): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOf(value) === type;
}

/** Where a value is not what a schema of the document promises. Covers the keywords we use. */
export function mismatches(document: Json, schema: Json, value: Json, at = "body"): string[] {
  if (schema.$ref) return mismatches(document, resolve(document, schema.$ref), value, at);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const tried = choices.map((choice: Json) => mismatches(document, choice, value, at));
    return tried.some((found: string[]) => found.length === 0) ? [] : tried.flat();
  }
  if (schema.allOf) {
    return schema.allOf.flatMap((part: Json) => mismatches(document, part, value, at));
  }
  const types: string[] = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return [`${at} is ${typeOf(value)}, documented as ${types.join(" or ")}`];
  }
  if (schema.enum && value !== null && !schema.enum.includes(value)) {
    return [`${at} is ${value}, documented as one of ${schema.enum.join(", ")}`];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, i) =>
      schema.items ? mismatches(document, schema.items, item, `${at}[${i}]`) : [],
    );
  }
  if (typeOf(value) !== "object" || !schema.properties) return [];
  const missing = (schema.required ?? []).filter((name: string) => !(name in value));
  return [
    ...missing.map((name: string) => `${at}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, child]) =>
      name in schema.properties
        ? mismatches(document, schema.properties[name], child, `${at}.${name}`)
        : [`${at}.${name} is not documented`],
    ),
  ];
}
