/**
 * Lets schemas describe themselves for the document, by `.openapi`. Whoever makes one imports this: the parts of the
 * deployed script are evaluated in any order, and an import of the library alone is left out of it as unused.
 */
import { extendZodWithOpenApi } from "@hono/zod-openapi";
import { ZodType } from "zod";

extendZodWithOpenApi({ ZodType } as Parameters<typeof extendZodWithOpenApi>[0]);
