import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import type { AccountRow } from "./table.ts";

const platform = z.enum(PLATFORMS, { error: `must be one of ${PLATFORMS.join(", ")}` });

export const accountSchema = z
  .object({
    id: z.string(),
    platform,
    accountName: z.string(),
    profileImageUrl: z.string().nullable(),
    status: z.enum(["active", "expired", "revoked"]),
    tags: z.string().describe("Comma-separated."),
    mode: z
      .enum(["live", "sandbox"])
      .describe("Extension: sandbox accounts post to the simulator."),
    connectedAt: z.iso.datetime(),
  })
  .meta({ id: "Account" });

export const accountDetailSchema = accountSchema
  .extend({
    failureCount: z.number().int().describe("Failed posts in a row since the last published one."),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: "AccountDetail" });

export const accountFilterSchema = z.object({
  platform: platform.optional(),
  status: z
    .enum(["active", "connected", "expired", "revoked"], {
      error: "must be one of active, connected, expired, revoked",
    })
    .optional()
    .describe("`connected` is an older name of `active`."),
  tags: z.string().max(200).optional().describe("Accounts whose tag list contains this text."),
});

export type AccountFilter = z.infer<typeof accountFilterSchema>;

export const accountTagsSchema = z.strictObject({
  tags: z
    .union([z.string(), z.array(z.string())], { error: "must be a comma-separated string" })
    .transform((value) => [value].flat().flatMap((text) => text.split(",")))
    .transform((tags) => [...new Set(tags.map((tag) => tag.trim()).filter(Boolean))].join(","))
    .refine((tags) => tags.length <= 500, "must have at most 500 characters in all")
    .describe("Comma-separated, or an array; replaces the account's tags."),
});

const credentials = z.strictObject({
  accessToken: z.string().min(1).max(8_192),
  refreshToken: z.string().min(1).max(8_192).optional(),
  expiresAt: z.iso
    .datetime({ offset: true, error: "must be ISO 8601 with an offset" })
    .transform((text) => new Date(text))
    .optional(),
});

const base = { platform, service: z.string().max(2_048).optional() };

const pageId = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .optional()
  .describe("The page to publish as, where one login covers a person's pages too.");

/** Spec is silent on connecting by call: the ways below are extensions. */
export const newAccountSchema = z
  .union(
    [
      z.strictObject({
        platform,
        sandbox: z.literal(true),
        name: z.string().trim().min(1).max(100).optional(),
        pageId,
      }),
      z.strictObject({ ...base, pageId, credentials }),
      z.strictObject({
        ...base,
        identifier: z.string().trim().min(1).max(320),
        appPassword: z.string().min(1).max(100),
        authFactorToken: z.string().trim().min(1).max(50).optional(),
      }),
    ],
    {
      error:
        'Give a platform and one of: {"sandbox": true}, {"identifier", "appPassword"}, {"credentials": {"accessToken"}}.',
    },
  )
  .meta({ id: "NewAccount" });

export type NewAccount = z.infer<typeof newAccountSchema>;

export const removedAccountSchema = z.object({
  id: z.string(),
  platform,
  accountName: z.string(),
});

export function toAccount(row: AccountRow): z.infer<typeof accountSchema> {
  return {
    id: row.id,
    platform: row.platform,
    accountName: row.accountName,
    profileImageUrl: row.profileImageUrl,
    status: row.status,
    tags: row.tags,
    mode: row.mode,
    connectedAt: row.connectedAt.toISOString(),
  };
}

export function toAccountDetail(
  row: AccountRow,
  lastUsedAt: Date | null,
): z.infer<typeof accountDetailSchema> {
  return {
    ...toAccount(row),
    failureCount: row.failureCount,
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
