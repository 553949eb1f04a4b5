import type { StandardSchemaWithJSON, ToolAnnotations } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { Scope } from "../core/scopes.ts";
import type { Ctx } from "../deps.ts";

/** A call of a tool: who calls, the origin under which this instance is reached, and the request's own id. */
export interface Call {
  ctx: Ctx;
  origin: string;
  requestId: string;
}

/** A tool of the agent endpoint: another way into a use-case. */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  /** Needed of the token: without it the tool reads and writes nothing, and no result leaves. */
  scope: Scope;
  /** For an agent: what the tool does, when to use it, and what to do about its refusals. */
  description: string;
  input: I;
  output: O;
  annotations: ToolAnnotations;
  /** @throws AppError refusals, which become results with isError */
  run(call: Call, args: z.output<I>): Promise<z.input<O>>;
  /** True for a result that is a failure as a whole. */
  isFailure?(result: z.input<O>): boolean;
}

/** A tool of any arguments, as the server holds it. */
export type AnyTool = Omit<Tool, "run" | "isFailure" | "input" | "output"> & {
  input: StandardSchemaWithJSON;
  output: StandardSchemaWithJSON;
  // biome-ignore lint/suspicious/noExplicitAny: the server validates arguments by the tool's own schema
  run(call: Call, args: any): Promise<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  isFailure?(result: any): boolean;
};

/** Creates a tool whose arguments and result are typed by its schemas. */
export const tool = <I extends z.ZodObject, O extends z.ZodObject>(own: Tool<I, O>): AnyTool => ({
  ...own,
  input: rememberJson(own.input),
  output: rememberJson(own.output),
});

type Json = Record<string, unknown>;

/** Returns the schema with its JSON form made once: the server asks for that with every message. */
function rememberJson(schema: z.ZodObject): StandardSchemaWithJSON {
  const own = schema["~standard"];
  const once = (make: (options: { target: "draft-2020-12" }) => Json) => {
    let json: Json | null = null;
    return () => {
      json ??= withSingleTypes(make({ target: "draft-2020-12" })) as Json;
      return json;
    };
  };
  const jsonSchema = { input: once(own.jsonSchema.input), output: once(own.jsonSchema.output) };
  return { "~standard": { ...own, jsonSchema } };
}

/** Splits a choice of types into one schema each: clients that know one type per schema would drop it. */
function withSingleTypes(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withSingleTypes);
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [key, withSingleTypes(value)]);
  const { type, description, ...others } = Object.fromEntries(entries) as Json;
  const described = description === undefined ? {} : { description };
  if (!Array.isArray(type)) {
    return { ...(type === undefined ? {} : { type }), ...described, ...others };
  }
  const anyOf = type.map((one) => (one === "null" ? { type: one } : { type: one, ...others }));
  return { ...described, anyOf };
}

/** Annotations of a tool that changes nothing, here or on a platform. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
