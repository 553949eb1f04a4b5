import { dereference, type Schema, validate } from "@cfworker/json-schema";

interface Media {
  content?: Record<string, { schema: Schema }>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, Media> }>>;
  components: { schemas: Record<string, Schema> };
}

const UNKNOWN_PATH: Schema = { $ref: "#/$defs/Error" };

/** An answer as a caller has it. */
export interface Told {
  method: string;
  /** Without the query: `/api/v1/upload/7`. */
  path: string;
  status: number;
  body: unknown;
}

/**
 * Checks answers against an OpenAPI document. Stricter than JSON Schema: an undeclared field is refused
 * too, for a generated client would never show it.
 */
export class Documented {
  private readonly document: Document;
  private readonly templates: { template: string; pattern: RegExp }[];
  /** All schemas by their addresses; the library adds to it. */
  private readonly lookup: ReturnType<typeof dereference>;
  private readonly added = new Set<Schema>();

  constructor(document: object) {
    const text = JSON.stringify(document).replaceAll("#/components/schemas/", "#/$defs/");
    this.document = JSON.parse(text, close);
    this.lookup = dereference({ $defs: this.document.components.schemas });
    // A name that stands where an id could goes before the id.
    this.templates = Object.keys(this.document.paths)
      .sort((a, b) => a.split("{").length - b.split("{").length)
      .map((template) => ({
        template,
        pattern: new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`),
      }));
  }

  /** Differences between an answer and the document of its operation; empty when there are none. */
  mismatches({ method, path, status, body }: Told): string[] {
    const operation = this.operationOf(method, path);
    const named = operation ?? "an unknown path";
    const schema = operation ? this.schemaOf(operation, status) : UNKNOWN_PATH;
    if (!schema) return [`${named} has no documented answer ${status}`];
    if (!this.added.has(schema)) {
      dereference(schema, this.lookup, undefined, `/${encodeURIComponent(`${named} ${status}`)}`);
      this.added.add(schema);
    }
    const { errors } = validate(body, schema, "2020-12", this.lookup);
    return errors.map(
      ({ instanceLocation, error }) => `${named} ${status}, ${instanceLocation}: ${error}`,
    );
  }

  /** `POST /api/v1/upload/{id}/retry`; null for what the document does not know. */
  private operationOf(method: string, path: string): string | null {
    const known = this.templates.find(({ pattern }) => pattern.test(path))?.template;
    const isKnown = known && this.document.paths[known]?.[method.toLowerCase()];
    return isKnown ? `${method} ${known}` : null;
  }

  private schemaOf(operation: string, status: number): Schema | null {
    const [method = "", path = ""] = operation.split(" ");
    const answer = this.document.paths[path]?.[method.toLowerCase()]?.responses[status];
    const { content = {} } = answer ?? {};
    return (content["application/json"] ?? content["application/x-ndjson"])?.schema ?? null;
  }
}

/** An object that names its fields has no others. */
function close(_key: string, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject || !("properties" in value) || "additionalProperties" in value) return value;
  return "type" in value ? { ...value, additionalProperties: false } : value;
}
