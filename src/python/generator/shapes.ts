import { docstring, isPlainKey, type Schema, toPascal } from "./document.ts";

/** Who makes the value: callers may pass more forms of a value than the API answers. */
export type Side = "answer" | "body" | "form";

const SCALARS: Record<string, string> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

/** A longer list of values has a name of its own. */
const MAX_INLINE_VALUES = 10;

const nameOf = (ref: string): string => ref.split("/").at(-1) ?? "";

/** Collects the types that operations refer to, each written once as a TypedDict or an alias. */
export class Shapes {
  readonly #schemas: Record<string, Schema>;
  readonly #texts = new Map<string, string>();

  constructor(schemas: Record<string, Schema>) {
    this.#schemas = schemas;
  }

  resolve(schema: Schema): Schema {
    return schema.$ref ? this.resolve(this.#schemas[nameOf(schema.$ref)] ?? {}) : schema;
  }

  /** @param hint the name of an object that the document does not name */
  toType(schema: Schema, hint: string, side: Side): string {
    if (schema.$ref) {
      const name = nameOf(schema.$ref);
      this.#add(name, this.resolve(schema), side);
      return name;
    }
    if (schema.enum) {
      const type = `Literal[${schema.enum.map(toLiteral).join(", ")}]`;
      if (schema.enum.length <= MAX_INLINE_VALUES) return type;
      this.#texts.set(hint, `${hint}: TypeAlias = ${type}\n`);
      return hint;
    }
    const variants = schema.anyOf ?? schema.oneOf;
    if (variants) {
      return union(variants.map((one, i) => this.toType(one, `${hint}${i + 1}`, side)));
    }
    if (Array.isArray(schema.type)) {
      return union(schema.type.map((type) => this.toType({ ...schema, type }, hint, side)));
    }
    if (schema.type === "array") {
      const item = this.toType(schema.items ?? {}, `${hint}Item`, side);
      return side === "form" ? `Sequence[${item}]` : `List[${item}]`;
    }
    if (schema.type === "object") {
      if (schema.properties) return this.#add(hint, schema, side);
      const { additionalProperties: values } = schema;
      const value = typeof values === "object" ? this.toType(values, `${hint}Value`, side) : "Any";
      return `Dict[str, ${value}]`;
    }
    if (schema.type === "string" && side !== "answer") return toSentText(schema, side);
    return SCALARS[schema.type ?? ""] ?? "Any";
  }

  /** A body that may have several forms becomes one with the fields of all; required is what all of them require. */
  merge(schema: Schema): Schema {
    const { anyOf, oneOf, ...rest } = this.resolve(schema);
    const forms = (anyOf ?? oneOf)?.map((one) => this.merge(one));
    if (!forms) return rest;
    const properties: Record<string, Schema> = {};
    for (const form of forms) {
      for (const [name, field] of Object.entries(form.properties ?? {})) {
        const other = properties[name];
        const isSame = !other || JSON.stringify(other) === JSON.stringify(field);
        const { description } = field;
        properties[name] = isSame ? field : { description, anyOf: [other, field] };
      }
    }
    const [first = [], ...others] = forms.map(({ required = [] }) => required);
    const required = first.filter((name) => others.every((one) => one.includes(name)));
    return { type: "object", properties, required };
  }

  /** Adds the shape of a body under the name that the document gives it. */
  addBody(schema: Schema, hint: string, side: Side): { name: string; fields: string[] } {
    const name = schema.$ref ? nameOf(schema.$ref) : hint;
    const merged = this.merge(schema);
    this.#add(name, merged, side);
    return { name, fields: Object.keys(merged.properties ?? {}) };
  }

  #add(name: string, schema: Schema, side: Side): string {
    if (this.#texts.has(name)) return name;
    this.#texts.set(name, "");
    this.#texts.set(name, this.#write(name, schema, side));
    return name;
  }

  #write(name: string, schema: Schema, side: Side): string {
    const { properties, required = [] } = schema;
    if (!properties) {
      const type = this.toType(schema, name, side);
      return `${name}: TypeAlias = ${JSON.stringify(type)}\n`;
    }
    const fields = Object.entries(properties).map(([key, field]) => {
      const type = this.toType(field, `${name}${toPascal(key)}`, side);
      return { key, field, type: required.includes(key) ? type : `NotRequired[${type}]` };
    });
    if (!fields.every(({ key }) => isPlainKey(key))) {
      const pairs = fields.map(
        ({ key, type }) => `    ${JSON.stringify(key)}: ${JSON.stringify(type)},\n`,
      );
      return `${name} = TypedDict(\n    "${name}",\n    {\n${pairs.map((pair) => `    ${pair}`).join("")}    },\n)\n`;
    }
    const lines = fields.map(({ key, field: { description }, type }) => {
      return `    ${key}: ${type}\n${description ? docstring(description, "    ") : ""}`;
    });
    return `@final\nclass ${name}(TypedDict):\n${lines.join("") || "    pass\n"}`;
  }

  write(): string {
    const texts = [...this.#texts.values()];
    return texts.join("\n\n");
  }

  get names(): string[] {
    return [...this.#texts.keys()].sort();
  }
}

/** A file may be text that names it, or the file itself; JSON and times may be values of the language. */
function toSentText({ format, pattern, description = "" }: Schema, side: Side): string {
  if (format === "binary") return "File";
  if (format === "date-time") return "Time";
  const isJson = side === "form" && !pattern && /\bJSON\b/.test(description);
  return isJson ? "JsonText" : "str";
}

const union = (types: string[]): string => {
  const different = [...new Set(types)];
  return different.length === 1 ? (different[0] ?? "Any") : `Union[${different.join(", ")}]`;
};

const toLiteral = (value: string | number | boolean | null): string =>
  value === null
    ? "None"
    : typeof value === "boolean"
      ? value
        ? "True"
        : "False"
      : JSON.stringify(value);
