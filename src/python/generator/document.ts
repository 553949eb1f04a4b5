/** The part of OpenAPI 3.1 that our document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: (string | number | boolean | null)[];
  format?: string;
  pattern?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Parameter {
  $ref?: string;
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
}

type Content = Record<string, { schema: Schema }>;

export interface DocumentedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
}

export const toPascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

/** `listLinkedInPages` becomes `list_linkedin_pages`. */
export const toSnake = (name: string): string =>
  name
    .replace(/LinkedIn|TikTok/g, (brand) => brand.charAt(0) + brand.slice(1).toLowerCase())
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_")
    .replace(/\W+/g, "_")
    .toLowerCase()
    .replace(/^_|_$/g, "");

const KEYWORDS = new Set(["async", "class", "from", "global", "import", "in", "is", "return"]);

/** A parameter that is a word of the language gets an underscore, as PEP 8 says. */
export const toParameter = (name: string): string => (KEYWORDS.has(name) ? `${name}_` : name);

export const isPlainKey = (name: string): boolean =>
  /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name);

export function docstring(text: string, indent: string): string {
  const lines = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"""', "'''")
    .split("\n")
    .map((line) => line.trimEnd());
  const last = lines.at(-1) ?? "";
  const end = last.endsWith('"') ? " " : "";
  return `${indent}"""${lines.join(`\n${indent}`).replaceAll(/\n[ ]+(?=\n)/g, "\n")}${end}"""\n`;
}
