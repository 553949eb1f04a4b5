import { type Contract, matchPath, queryOf } from "./contract.ts";
import type { RecordedCall } from "./recording.ts";

type Json = Record<string, unknown>;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Json;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> };
}

interface OpenApi {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; parameters?: Record<string, Json> };
}

const isObject = (value: unknown): value is Json => value !== null && typeof value === "object";

/**
 * A description as a JSON Schema has it: references lead to definitions beside it, and an object takes no
 * field that it does not name, save where it is put together of several.
 */
function toStrict(value: unknown, isPart = false): unknown {
  if (Array.isArray(value)) return value.map((one) => toStrict(one, isPart));
  if (!isObject(value)) return value;
  const { discriminator: _, example: __, ...rest } = value;
  const fields = Object.entries(rest).map(([name, field]) => {
    if (name === "$ref") return [name, String(field).replace("#/components/schemas/", "#/$defs/")];
    return [name, toStrict(field, name === "allOf")];
  });
  const strict = Object.fromEntries(fields);
  const isClosed = isObject(strict.properties) && !strict.allOf && !isPart;
  return isClosed ? { additionalProperties: false, ...strict } : strict;
}

interface Validator {
  validate(schema: object, value: unknown): boolean;
  errorsText(): string;
}

/** Judges calls by an OpenAPI description: method, path, query and body. */
export async function byOpenApi({ servers, paths, components }: OpenApi): Promise<Contract> {
  const { Ajv } = (await import("ajv" as string)) as {
    Ajv: new (options: object) => Validator;
  };
  // Formats are words for people here; the keywords of OpenAPI are not those of JSON Schema.
  const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });
  const base = servers[0]?.url ?? "";
  const definitions = toStrict(components.schemas) as Json;
  const check = (schema: unknown, value: unknown): string | null => {
    const whole = { ...(toStrict(schema) as Json), $defs: definitions };
    return ajv.validate(whole, value) ? null : ajv.errorsText();
  };
  const resolve = (parameter: Parameter | { $ref: string }): Parameter => {
    if (!("$ref" in parameter)) return parameter;
    const name = parameter.$ref.replace("#/components/parameters/", "");
    return components.parameters?.[name] as unknown as Parameter;
  };

  function findProblem(call: RecordedCall): string | null {
    const { method, url, body } = call;
    const address = url.split("?")[0] ?? "";
    if (!address.startsWith(base)) return `${address} is not of ${base}`;
    const found = Object.entries(paths).find(
      ([path, operations]) =>
        operations[method.toLowerCase()] && matchPath(path, address.slice(base.length)),
    );
    const operation = found?.[1][method.toLowerCase()];
    if (!found || !operation) return `${method} ${address.slice(base.length)} is in no path`;
    const known = (operation.parameters ?? []).map(resolve).filter((one) => one.in === "query");
    const query = queryOf(call);
    const unknown = Object.keys(query).find((name) => !known.some((one) => one.name === name));
    if (unknown) return `${method} ${found[0]} knows no parameter ${unknown}`;
    const missing = known.find(({ name, required }) => required && !(name in query));
    if (missing) return `${method} ${found[0]} wants the parameter ${missing.name}`;
    for (const { name, schema } of known) {
      const text = query[name];
      if (text === undefined || !schema) continue;
      const isNumber = schema.type === "integer" || schema.type === "number";
      const problem = check(schema, isNumber ? Number(text) : text);
      if (problem) return `${name}: ${problem}`;
    }
    const wanted = operation.requestBody?.content["application/json"]?.schema;
    if (!body) return wanted && operation.requestBody?.required ? "The body is missing" : null;
    if (body.kind !== "json" || !wanted) return `${method} ${found[0]} takes no ${body.kind}`;
    return check(wanted, body.value);
  }

  return { judge: async (calls) => calls.map(findProblem) };
}
