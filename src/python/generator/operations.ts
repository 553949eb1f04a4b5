import {
  type ApiDocument,
  type DocumentedOperation,
  docstring,
  type Schema,
  toParameter,
  toPascal,
  toSnake,
} from "./document.ts";
import type { Shapes } from "./shapes.ts";

interface Named {
  /** As the API calls it. */
  wire: string;
  /** As the method calls it. */
  name: string;
  type: string;
  isRequired: boolean;
}

export interface Operation {
  /** Such as `short_links`. */
  group: string;
  method: string;
  constant: string;
  verb: string;
  path: string;
  text: string;
  pathParameters: Named[];
  query: Named[];
  body: { kind: "json" | "form"; name: string; fields: string[]; repeated: string[] } | null;
  /** MIME types of a body that is one file. */
  fileTypes: string[];
  takesKey: boolean;
  answer: { kind: "json" | "text" | "lines"; type: string; unwrapped: string | null };
}

/** Where the rule of `toMethod` would give two operations one name, say nothing, or make a word of the language. */
const METHODS: Record<string, string> = {
  createUploads: "create_many",
  getXCredits: "get",
  importUploads: "import_sheet",
};

const GROUPS: Record<string, string> = { "Large files": "files", "Posts (older)": "posts" };

const singular = (word: string): string => word.replace(/s$/, "");

/** `createUpload` of the group `uploads` becomes `create`, `addPoolItem` of `pools` becomes `add_item`. */
function toMethod(operationId: string, group: string): string {
  const given = METHODS[operationId];
  if (given) return given;
  const words = toSnake(operationId).split("_");
  const own = new Set(group.split("_").flatMap((word) => [word, singular(word)]));
  const [verb = "", ...rest] = words;
  return [verb, ...rest.filter((word) => !own.has(word))].join("_");
}

const refersTo = (operation: DocumentedOperation, name: string): boolean =>
  (operation.parameters ?? []).some(({ $ref }) => $ref === `#/components/parameters/${name}`);

/** @throws Error where two operations would have one name, or a method two parameters of one name */
export function readOperations(document: ApiDocument, shapes: Shapes): Operation[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([verb, one]) => read(path, verb, one, shapes)),
  );
  const names = operations.map(({ group, method }) => `${group}.${method}`);
  const doubles = names.filter((name, i) => names.indexOf(name) !== i);
  if (doubles.length > 0) throw new Error(`Several operations are called ${doubles.join(", ")}.`);
  return operations;
}

function read(path: string, verb: string, one: DocumentedOperation, shapes: Shapes): Operation {
  const group = GROUPS[one.tags[0] ?? ""] ?? toSnake(one.tags[0] ?? "");
  const hint = toPascal(one.operationId);
  const parametersIn = (place: string): Named[] =>
    (one.parameters ?? [])
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, required = false }) => ({
        wire: name,
        name: place === "path" ? toSnake(name) : toParameter(name),
        type:
          place === "path"
            ? "Union[int, str]"
            : shapes.toType(schema, `${hint}${toPascal(name)}`, "body"),
        isRequired: required,
      }));
  const operation: Operation = {
    group,
    method: toMethod(one.operationId, group),
    constant: toSnake(one.operationId).toUpperCase(),
    verb: verb.toUpperCase(),
    path,
    text: [`${one.summary}.`, ...(one.description ? [one.description] : [])].join("\n\n"),
    pathParameters: parametersIn("path"),
    query: parametersIn("query"),
    body: readBody(one, hint, shapes),
    fileTypes: Object.keys(one.requestBody?.content ?? {}).filter((type) =>
      type.startsWith("image/"),
    ),
    takesKey: refersTo(one, "IdempotencyKey"),
    answer: readAnswer(one, hint, shapes),
  };
  const taken = [...operation.pathParameters, ...operation.query].map(({ name }) => name);
  const clash = operation.body?.fields.find((field) => taken.includes(field));
  if (clash) throw new Error(`${one.operationId} has two parameters called ${clash}.`);
  return operation;
}

function readBody(one: DocumentedOperation, hint: string, shapes: Shapes): Operation["body"] {
  const { content = {} } = one.requestBody ?? {};
  const form = content["multipart/form-data"];
  const json = content["application/json"];
  const schema = (form ?? json)?.schema;
  if (!schema) return null;
  const kind = form ? "form" : "json";
  const added = shapes.addBody(schema, `${hint}Body`, form ? "form" : "body");
  const properties = shapes.merge(schema).properties ?? {};
  const isRepeated = ({ type, anyOf = [] }: Schema) =>
    [type, ...anyOf.map((v) => v.type)].includes("array");
  const repeated = form ? added.fields.filter((name) => isRepeated(properties[name] ?? {})) : [];
  return { kind, ...added, repeated };
}

const ENVELOPE = new Set(["success", "message", "count"]);

/** An answer whose envelope holds one value is that value; one with more is given as it is. */
function readAnswer(one: DocumentedOperation, hint: string, shapes: Shapes): Operation["answer"] {
  const [[type, media] = ["", undefined]] = Object.entries(one.responses["200"]?.content ?? {});
  const schema = media?.schema ?? {};
  if (type === "image/svg+xml") return { kind: "text", type: "str", unwrapped: null };
  if (type === "application/x-ndjson") {
    const line = shapes.toType(schema, `${hint}Line`, "answer");
    return { kind: "lines", type: `List[${line}]`, unwrapped: null };
  }
  const { properties = {} } = schema;
  const inside = Object.keys(properties).filter((name) => !ENVELOPE.has(name));
  const [only = ""] = inside;
  const value = properties[only];
  if (properties.success && inside.length === 0) {
    return { kind: "json", type: "None", unwrapped: "" };
  }
  if (properties.success && inside.length === 1 && value) {
    return { kind: "json", type: shapes.toType(value, `${hint}Answer`, "answer"), unwrapped: only };
  }
  return { kind: "json", type: shapes.toType(schema, `${hint}Answer`, "answer"), unwrapped: null };
}

const quote = (text: string): string => JSON.stringify(text);

const frozen = (names: readonly string[]): string =>
  `frozenset((${names.map((name) => `${quote(name)},`).join(" ")}))`;

/** The description of an operation that both clients send by. */
export function writeConstant(operation: Operation): string {
  const { group, method, constant, verb, path, body, takesKey, answer, fileTypes } = operation;
  const settings = [
    `name=${quote(`${group}.${method}`)}`,
    `method=${quote(verb)}`,
    `path=${quote(path)}`,
    ...(body ? [`body=${quote(body.kind)}`, `fields=${frozen(body.fields)}`] : []),
    ...(body && body.repeated.length > 0 ? [`repeated=${frozen(body.repeated)}`] : []),
    ...(fileTypes.length > 0 ? [`body="file"`] : []),
    ...(takesKey ? ["takes_key=True"] : []),
    ...(answer.kind === "json" ? [] : [`answer=${quote(answer.kind)}`]),
    ...(answer.unwrapped === null ? [] : [`unwraps=${quote(answer.unwrapped)}`]),
  ];
  const lines = settings.map((one) => `    ${one},\n`).join("");
  const type = answer.type.replaceAll('"', "'");
  return `${constant}: "Operation[${type}]" = Operation(\n${lines})\n`;
}

/** A method of the sync or the async client. */
export function writeMethod(operation: Operation, isAsync: boolean): string {
  const { method, constant, pathParameters, query, body, fileTypes, takesKey, answer } = operation;
  const keywords = [
    ...(fileTypes.length > 0 ? [`type: Literal[${fileTypes.map(quote).join(", ")}]`] : []),
    ...query.map(({ name, type, isRequired }) =>
      isRequired ? `${name}: ${type}` : `${name}: Optional[${type}] = None`,
    ),
    ...(takesKey ? ["idempotency_key: Optional[str] = None"] : []),
  ];
  const parameters = [
    "self",
    ...pathParameters.map(({ name, type }) => `${name}: ${type}`),
    ...(fileTypes.length > 0 ? ["content: bytes"] : []),
    ...(keywords.length > 0 ? ["*", ...keywords] : []),
    ...(body ? [`**fields: Unpack[${body.name}]`] : []),
  ];
  const pairs = (named: Named[]) =>
    `{${named.map(({ wire, name }) => `${quote(wire)}: ${name}`).join(", ")}}`;
  const sent = [
    constant,
    ...(pathParameters.length > 0 ? [`path=${pairs(pathParameters)}`] : []),
    ...(query.length > 0 ? [`query=${pairs(query)}`] : []),
    ...(body ? ["fields=fields"] : []),
    ...(fileTypes.length > 0 ? ["file=(content, type)"] : []),
    ...(takesKey ? ["key=idempotency_key"] : []),
  ];
  const [word, wait] = isAsync ? ["async def", "await "] : ["def", ""];
  const lines = parameters
    .map((one) => `        ${one},\n`)
    .join("")
    .replace(/(\*\*fields: [^\n]*),\n$/, "$1\n");
  const end = answer.type === "None" ? "" : "return ";
  return `    ${word} ${method}(\n${lines}    ) -> ${answer.type}:\n${docstring(operation.text, "        ")}        ${end}${wait}self._send(\n${sent.map((one) => `            ${one},\n`).join("")}        )\n`;
}
