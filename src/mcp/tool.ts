import type { StandardSchemaWithJSON, ToolAnnotations } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { Scope } from "../core/scopes.ts";
import type { Ctx } from "../deps.ts";

export interface Call {
  ctx: Ctx;
  origin: string;
  requestId: string;
}

export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
  scope: Scope;
  description: string;
  input: I;
  output: O;
  annotations: ToolAnnotations;
  /** @throws AppError for refusals, which become results with isError */
  run(call: Call, args: z.output<I>): Promise<z.input<O>>;
  /** Whether the whole result counts as a failure. */
  isFailure?(result: z.input<O>): boolean;
}

export type AnyTool = Omit<Tool, "run" | "isFailure" | "input" | "output"> & {
  input: StandardSchemaWithJSON;
  output: StandardSchemaWithJSON;
  // biome-ignore lint/suspicious/noExplicitAny: the server validates arguments by the tool's own schema
  run(call: Call, args: any): Promise<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  isFailure?(result: any): boolean;
};

export const tool = <I extends z.ZodObject, O extends z.ZodObject>(own: Tool<I, O>): AnyTool => ({
  ...own,
  input: rememberJson(own.input),
  output: rememberJson(own.output),
});

type Json = Record<string, unknown>;

/** Built once, because the MCP server needs the JSON schema for every message. */
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

/** Some clients drop a schema of several types, so it becomes one schema per type. */
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

/** For a tool that changes nothing, neither here nor on a platform. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
