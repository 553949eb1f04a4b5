/**
 * Stands in for "zod" in the deployed script, by the alias in wrangler.toml. @hono/zod-openapi asks for all of zod as
 * one object, and takes from it this one class; forty languages of messages would travel with the rest.
 */
import { ZodType } from "zod/v4";

export * from "zod/v4";
export const z = { ZodType };
