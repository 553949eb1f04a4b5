import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Contract, matchPath, queryOf } from "./contract.ts";
import type { RecordedCall } from "./recording.ts";
import { byTypes, type TypedValue } from "./typed.ts";

// X publishes its OpenAPI description over the network alone. Its own SDK is generated from it and is on
// npm: the code has methods, paths and queries, the types have bodies and enumerations.

const SDK = join(import.meta.dirname, "..", "node_modules/@xdevplatform/xdk/dist/index.js");
const TYPES = SDK.replace(/js$/, "d.ts");

/**
 * The SDK speaks specification 2.167, which renames this parameter; the documentation does not, and is
 * what the service goes by. Source: docs.x.com, "Fields" (x-api/fundamentals/fields).
 */
const RENAMED: Record<string, string> = { "tweet.fields": "post.fields" };
/** Where the SDK itself still has that parameter, with the values that the documentation has. */
const FORMER_VALUES = /\btweetFields\?: Array<([^>]+)>/;

interface Operation {
  /** As types write it: `PostsClient["create"]`. */
  method: string;
  parameters: string[];
  verb: string;
  path: string;
  query: string[];
}

const CLASS = /var (\w+Client) = class \{/g;
const METHOD = /\n {2}async (\w+)\(([^)]*)\) \{/g;

/** Pieces of a text from one match to the next. */
function cut(text: string, pattern: RegExp): { match: RegExpExecArray; body: string }[] {
  const matches = [...text.matchAll(pattern)];
  return matches.map((match, index) => ({
    match,
    body: text.slice(match.index, matches[index + 1]?.index),
  }));
}

function readOperations(sdk: string): Operation[] {
  return cut(sdk, CLASS).flatMap(({ match: [, client], body: code }) =>
    cut(code, METHOD).flatMap(({ match: [, name, parameters = ""], body }) => {
      const path = /let path = "([^"]+)"/.exec(body)?.[1];
      const verb = /this\.client\.request\(\s*"(\w+)"/.exec(body)?.[1];
      if (!path || !verb) return [];
      const query = [...body.matchAll(/params\.append\(\s*"([^"]+)"/g)].map(([, one = ""]) => one);
      const names = parameters.split(",").map((text) => text.trim().split(" ")[0] ?? "");
      return [{ method: `${client}["${name}"]`, parameters: names, verb, path, query }];
    }),
  );
}

const toCamel = (name: string): string =>
  name.replaceAll(/[_.]([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A body with the names that the SDK has for its fields. */
function toCamelKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamelKeys);
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value);
  return Object.fromEntries(fields.map(([name, field]) => [toCamel(name), toCamelKeys(field)]));
}

/** A form has texts alone: numbers are written out, and a file is what the SDK takes as text. */
const fromForm = (fields: Record<string, string | null>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, text]) => {
      if (text === null) return [name, "bytes"];
      return [name, /^\d+$/.test(text) ? Number(text) : text];
    }),
  );

/** As options take it: lists apart, numbers as numbers. */
function toOption(name: string, text: string, former: ReadonlySet<string>): unknown {
  if (/fields$|^expansions$|^exclude$/.test(name)) {
    const isFormer = (one: string) => name === "post.fields" && former.has(one);
    return text.split(",").filter((one) => !isFormer(one));
  }
  return /^max_results$/.test(name) ? Number(text) : text;
}

/** Arguments that stand in the address are strings, or lists of them. */
const toArgument = (name: string, text: string | undefined): unknown =>
  /s$/.test(name) ? text?.split(",") : text;

function toTyped(
  operations: Operation[],
  former: ReadonlySet<string>,
  call: RecordedCall,
): TypedValue | string {
  const { origin, pathname } = new URL(call.url);
  if (origin !== "https://api.x.com") return `${origin} is not X's`;
  const found = operations.flatMap((operation) => {
    const parts = operation.verb === call.method ? matchPath(operation.path, pathname) : null;
    return parts ? [{ operation, parts }] : [];
  });
  // `/2/users/me` before `/2/users/{id}`.
  const [first] = found.toSorted((a, b) => a.parts.length - b.parts.length);
  if (!first) return `${call.method} ${pathname} is no call of X`;
  const { operation, parts } = first;
  const query = Object.fromEntries(
    Object.entries(queryOf(call)).map(([name, text]) => [RENAMED[name] ?? name, text]),
  );
  const unknown = Object.keys(query).find((name) => !operation.query.includes(name));
  if (unknown) return `${operation.method} knows no parameter ${unknown}`;
  const { body } = call;
  if (body?.kind === "bytes") return `${operation.method} takes no ${body.type}`;
  if (body && !operation.parameters.includes("body")) return `${operation.method} takes no body`;
  const sent = body?.kind === "form" ? fromForm(body.fields) : body?.value;
  const left = new Map(Object.entries(query));
  const given = operation.parameters.filter(Boolean).map((parameter) => {
    if (parameter === "body") return toCamelKeys(sent ?? {});
    if (parameter === "options") {
      return Object.fromEntries(
        [...left].map(([name, text]) => [toCamel(name), toOption(name, text, former)]),
      );
    }
    const inQuery = [...left.keys()].find((name) => toCamel(name) === parameter);
    const text = inQuery === undefined ? parts.shift() : left.get(inQuery);
    if (inQuery !== undefined) left.delete(inQuery);
    return toArgument(parameter, text);
  });
  return { type: `Parameters<${operation.method}>`, value: given };
}

export async function loadXContract(): Promise<Contract> {
  const operations = readOperations(await readFile(SDK, "utf8"));
  const [, union = ""] = FORMER_VALUES.exec(await readFile(TYPES, "utf8")) ?? [];
  const former = new Set([...union.matchAll(/"(\w+)"/g)].flatMap(([, value]) => value ?? []));
  if (!former.has("referenced_tweets")) throw new Error("X's SDK has no fields of posts any more.");
  const clients = [...new Set(operations.map(({ method }) => method.replace(/\[.+/, "")))];
  const imports = `import type { ${clients.join(", ")} } from "@xdevplatform/xdk";`;
  return byTypes(imports, (call) => toTyped(operations, former, call));
}
