import { extendZodWithOpenApi } from "@hono/zod-openapi";
import { ZodType } from "zod";

/**
 * Lets schemas describe themselves for the document, by `.openapi`. Called by each module that makes such a schema:
 * the parts of the deployed script are evaluated in an order of their own, and a bare import is left out of them.
 */
export function enableDescriptions(): void {
  extendZodWithOpenApi({ ZodType } as Parameters<typeof extendZodWithOpenApi>[0]);
}
