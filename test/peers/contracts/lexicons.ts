import type { Contract } from "./contract.ts";
import type { RecordedCall } from "./recording.ts";

// Bluesky's lexicons, as its own library ships and checks them. Lexicons allow everything that they do not
// forbid. A field that no lexicon has would be accepted and never read, so this file looks for such fields.

interface Schema {
  type: string;
  ref?: string;
  refs?: string[];
  items?: Schema;
  record?: Schema;
  properties?: Record<string, Schema>;
}

interface Method extends Schema {
  parameters?: Schema;
  input?: { encoding: string; schema?: Schema };
}

interface Lexicons {
  getDef(uri: string): Method | undefined;
  getDefOrThrow(uri: string): Method;
  assertValidXrpcParams(nsid: string, params: unknown): unknown;
  assertValidXrpcInput(nsid: string, body: unknown): unknown;
  assertValidRecord(nsid: string, record: unknown): unknown;
}

interface Library {
  lexicons: Lexicons;
  jsonToLex(json: unknown): unknown;
}

const VERBS: Record<string, string> = { query: "GET", procedure: "POST" };

export async function loadLexicons(): Promise<Contract> {
  const { lexicons, jsonToLex } = (await import("@atproto/api" as string)) as Library;

  /** The first field that no lexicon has, as a path. */
  function findUnknown(schema: Schema | undefined, value: unknown, home: string): string | null {
    if (!schema || value === null || typeof value !== "object") return null;
    if (Array.isArray(value)) {
      return first(value, (item) => findUnknown(schema.items, item, home));
    }
    const named = "$type" in value ? String(value.$type) : null;
    if (schema.type === "ref" || schema.type === "union") {
      const ref = schema.ref ?? schema.refs?.find((one) => full(one, home) === named);
      if (!ref) return `$type ${named}`;
      const uri = full(ref, home);
      return findUnknown(lexicons.getDefOrThrow(uri), value, uri.split("#")[0] ?? "");
    }
    const { properties } = schema.record ?? schema;
    if (!properties) return null;
    return first(Object.entries(value), ([name, field]) => {
      if (name === "$type") return null;
      const known = properties[name];
      if (!known) return name;
      const inside = findUnknown(known, field, home);
      return inside && `${name}.${inside}`;
    });
  }

  function findProblem({ method, url, body }: RecordedCall): string | null {
    const { pathname, searchParams } = new URL(url);
    const nsid = /^\/xrpc\/([\w.]+)$/.exec(pathname)?.[1];
    const definition = nsid === undefined ? undefined : lexicons.getDef(nsid);
    if (!nsid || !definition) return `${pathname} is in no lexicon`;
    if (VERBS[definition.type] !== method) return `${nsid} is no ${method}`;
    const known = definition.parameters?.properties ?? {};
    const query = Object.fromEntries(searchParams);
    const unknown = Object.keys(query).find((name) => !known[name]);
    // The service takes these two, which Bluesky's own client sends; the lexicon has no parameters.
    const isUpload = nsid === "app.bsky.video.uploadVideo" && /^(?:did|name)$/.test(unknown ?? "");
    if (unknown && !isUpload) return `${nsid} knows no parameter ${unknown}`;
    const parameters = Object.entries(query).map(([name, text]) => [
      name,
      known[name]?.type === "integer" ? Number(text) : text,
    ]);
    lexicons.assertValidXrpcParams(nsid, Object.fromEntries(parameters));
    const { input } = definition;
    if (!body || !input) return body ? `${nsid} takes no body` : null;
    const encoding = body.kind === "bytes" ? body.type : "application/json";
    const isTaken = input.encoding.replaceAll("*", encoding).includes(encoding);
    if (!isTaken) return `${nsid} takes ${input.encoding}, not ${encoding}`;
    if (body.kind !== "json") return null;
    lexicons.assertValidXrpcInput(nsid, jsonToLex(body.value));
    return findUnknown(input.schema, body.value, nsid) ?? findRecordProblem(body.value);
  }

  /** A record stands in a field of any content. */
  function findRecordProblem(value: unknown): string | null {
    if (value === null || typeof value !== "object" || !("record" in value)) return null;
    const { record } = value;
    const collection = "collection" in value ? String(value.collection) : "";
    lexicons.assertValidRecord(collection, jsonToLex(record));
    return findUnknown(lexicons.getDefOrThrow(collection), record, collection);
  }

  return {
    judge: async (calls) =>
      calls.map((call) => {
        try {
          const problem = findProblem(call);
          return problem && `unknown to the lexicons: ${problem}`;
        } catch (error) {
          return error instanceof Error ? error.message : String(error);
        }
      }),
  };
}

/** A reference with the lexicon that it stands in. */
const full = (ref: string, home: string): string =>
  (ref.startsWith("#") ? home + ref : ref).replace(/^lex:/, "").replace(/#main$/, "");

function first<T>(values: T[], find: (value: T) => string | null): string | null {
  for (const value of values) {
    const found = find(value);
    if (found !== null) return found;
  }
  return null;
}
