import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { Ctx } from "../deps.ts";

/** A call of a tool: who calls, and the origin under which this instance is reached. */
export interface Call {
  ctx: Ctx;
  origin: string;
}

/** A tool of the agent endpoint: another way into a use-case. */
export interface Tool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  name: string;
  title: string;
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
export type AnyTool = Omit<Tool, "run" | "isFailure"> & {
  // biome-ignore lint/suspicious/noExplicitAny: the server validates arguments by the tool's own schema
  run(call: Call, args: any): Promise<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  isFailure?(result: any): boolean;
};

/** Lets a tool's arguments and result be typed by its schemas. */
export const tool = <I extends z.ZodObject, O extends z.ZodObject>(own: Tool<I, O>): AnyTool => own;

/** Annotations of a tool that changes nothing, here or on a platform. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
