import * as z from "zod";
import { SCOPES } from "../../core/scopes.ts";
import type { tokens } from "../auth/table.ts";

const scope = z.enum(SCOPES, { error: `must be one of ${SCOPES.join(", ")}` });

const MAX_NAME = 100;

export const newTokenSchema = z
  .strictObject({
    name: z.string().trim().min(1).max(MAX_NAME),
    scopes: z
      .array(scope)
      .min(1)
      .max(SCOPES.length)
      .optional()
      .describe("All scopes when left out."),
    teamId: z
      .number()
      .int()
      .positive()
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe("Pins the token to this team."),
  })
  .meta({ id: "NewToken" });

export type NewToken = z.infer<typeof newTokenSchema>;

export const tokenSchema = z
  .object({
    id: z.number().int(),
    name: z.string().max(MAX_NAME),
    hint: z.string().describe("The token's first 8 and last 4 characters."),
    scopes: z.array(scope).max(SCOPES.length),
    teamId: z.number().int().nullable(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable().describe("Out of date by an hour at most."),
  })
  .meta({ id: "Token" });

export const createdTokenSchema = tokenSchema
  .omit({ hint: true, lastUsedAt: true })
  .extend({ token: z.string().describe("Shown this once.") })
  .meta({ id: "CreatedToken" });

export function toToken(row: typeof tokens.$inferSelect): z.infer<typeof tokenSchema> {
  const { id, name, hint, scopes, teamId, createdAt, lastUsedAt } = row;
  return {
    id,
    name,
    hint,
    scopes,
    teamId,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
