/**
 * wrangler.toml aliases "zod" to this module. @hono/zod-openapi imports all of zod as one object
 * but uses one class; the rest has forty languages of messages.
 */
import { ZodType } from "zod/v4";

export * from "zod/v4";
export const z = { ZodType };
