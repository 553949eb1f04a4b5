import { extendZodWithOpenApi } from "@hono/zod-openapi";
import { ZodType } from "zod";

/**
 * Each module with described schemas calls this, because the bundler drops a bare import and evaluates modules in its
 * own order.
 */
export function enableDescriptions(): void {
  extendZodWithOpenApi({ ZodType } as Parameters<typeof extendZodWithOpenApi>[0]);
}
