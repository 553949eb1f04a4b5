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

const nameOf = (ref: unknown): string => String(ref).replace("#/components/schemas/", "");

/** Whether a schema names the fields of an object. */
const isNamed = (schema: unknown): boolean =>
  isObject(schema) && (isObject(schema.properties) || Array.isArray(schema.allOf));

/**
 * A description as a JSON Schema has it: references lead to definitions beside it, and an object takes no
 * field that it does not name. Parts that an object is put together of leave that to the whole.
 */
function toStrict(value: unknown, schemas: Record<string, Json>, isPart = false): unknown {
  if (Array.isArray(value)) return value.map((one) => toStrict(one, schemas, isPart));
  if (!isObject(value)) return value;
  const { discriminator, example: _, ...rest } = value;
  const kinds = isObject(discriminator) ? discriminator.mapping : null;
  if (isObject(kinds) && !rest.oneOf && !rest.anyOf) {
    return { anyOf: Object.values(kinds).map(($ref) => toStrict({ $ref }, schemas)) };
  }
  const fields = Object.entries(rest).map(([name, field]) => {
    if (name === "$ref") return [name, `#/$defs/${nameOf(field)}`];
    const isChoice = name === "oneOf" || name === "anyOf";
    const inner = toStrict(field, schemas, name === "allOf" || (isChoice && isNamed(rest)));
    // One value stands in several enumerations of a choice.
    return [isChoice ? "anyOf" : name, inner];
  });
  const strict = Object.fromEntries(fields);
  const isClosed = isNamed(rest) || isNamed(schemas[nameOf(rest.$ref)]);
  return isClosed && !isPart ? { ...strict, unevaluatedProperties: false } : strict;
}

const toDefinitions = (schemas: Record<string, Json>): Json =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, toStrict(schema, schemas, true)]),
  );

/** A value of the query by its type; a list is separated by commas. */
function toValue({ type }: Json, text: string): unknown {
  if (type === "integer" || type === "number") return Number(text);
  if (type === "boolean") return text === "true" || (text === "false" ? false : text);
  return type === "array" ? text.split(",") : text;
}

interface Validator {
  validate(schema: object, value: unknown): boolean;
  errorsText(): string;
}

/** Judges calls by an OpenAPI description: method, path, query and body. */
export async function byOpenApi({ servers, paths, components }: OpenApi): Promise<Contract> {
  const { Ajv2019: Ajv } = (await import("ajv/dist/2019.js" as string)) as {
    Ajv2019: new (options: object) => Validator;
  };
  // Formats are words for people here; the keywords of OpenAPI are not those of JSON Schema.
  const ajv = new Ajv({
    strict: false,
    validateSchema: false,
    validateFormats: false,
    logger: false,
  });
  const base = servers[0]?.url ?? "";
  const definitions = toDefinitions(components.schemas);
  const check = (schema: unknown, value: unknown): string | null => {
    const whole = { ...(toStrict(schema, components.schemas) as Json), $defs: definitions };
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
    const found = Object.entries(paths)
      // `/pins/analytics` before `/pins/{pin_id}`.
      .toSorted(([a], [b]) => a.split("{").length - b.split("{").length)
      .find(
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
      const problem = check(schema, toValue(schema, text));
      if (problem) return `${name}: ${problem}`;
    }
    const { requestBody } = operation;
    if (!body) return requestBody?.required ? "The body is missing" : null;
    const type = call.headers["content-type"]?.split(";")[0] ?? "";
    const wanted = requestBody?.content[type]?.schema;
    if (body.kind === "bytes" || !wanted) return `${method} ${found[0]} takes no ${type}`;
    return check(wanted, body.kind === "json" ? body.value : body.fields);
  }

  return { judge: async (calls) => calls.map(findProblem) };
}
