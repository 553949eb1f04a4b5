import * as z from "zod";
import { PLATFORMS } from "../../core/platforms.ts";
import { BROKEN_TEXT, isBrokenText } from "../../core/text.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { MAX_NAME_CHARACTERS, type ServerLimits } from "../../platforms/login.ts";
import { MAX_TAGS_CHARACTERS } from "./rules.ts";
import type { AccountRow } from "./table.ts";

enableDescriptions();

export const platform = z.enum(PLATFORMS, { error: `must be one of ${PLATFORMS.join(", ")}` });

export const plainText = () => z.string().refine((text) => !isBrokenText(text), BROKEN_TEXT);

/** `maxLength` is only documented here; it is checked after the tags are cleaned up. */
const tagText = plainText().openapi({ maxLength: MAX_TAGS_CHARACTERS });

export const accountSchema = z
  .object({
    id: z.string(),
    platform,
    accountName: z.string().max(MAX_NAME_CHARACTERS),
    profileImageUrl: z.string().nullable(),
    status: z.enum(["active", "expired", "revoked"]),
    tags: z.string().max(MAX_TAGS_CHARACTERS).describe("Comma-separated."),
    mode: z
      .enum(["live", "sandbox"])
      .describe("Extension: the posts of a sandbox account go to a simulated platform."),
    connectedAt: z.iso.datetime(),
    dataAccessEndsAt: z.iso
      .datetime()
      .nullable()
      .describe(
        "Extension: until when the platform lets the app use the person's data; connecting again moves it. Null where the platform does not say.",
      ),
  })
  .meta({ id: "Account" });

const amount = z.number().int().optional();

export const serverLimits = z.object({
  postCharacters: amount,
  altTextCharacters: amount,
  linkCharacters: amount.describe("Each address in a text counts as this many characters."),
  maxFiles: amount,
  imageMaxBytes: amount,
  videoMaxBytes: amount,
  mimeTypes: z.array(z.string()).readonly().optional(),
  pollOptions: amount,
  pollOptionCharacters: amount,
  pollMinSeconds: amount,
  pollMaxSeconds: amount,
}) satisfies z.ZodType<ServerLimits>;

export const accountDetailSchema = accountSchema
  .extend({
    failureCount: z.number().int().describe("Failed posts in a row since the last published one."),
    lastUsedAt: z.iso.datetime().nullable(),
    serverLimits: serverLimits
      .nullable()
      .describe(
        "Extension: what the account's own server accepts, where servers of one network differ (mastodon). Null where the limits of GET /platforms/capabilities are those of every account.",
      ),
  })
  .meta({ id: "AccountDetail" });

export const accountFilterSchema = z.object({
  platform: platform.optional().describe("Accounts of one platform."),
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
    .union([tagText, z.array(tagText).openapi({ maxItems: MAX_TAGS_CHARACTERS / 2 })], {
      error: "must be a comma-separated string",
    })
    .transform((value) => [value].flat().flatMap((text) => text.split(",")))
    .transform((tags) => [...new Set(tags.map((tag) => tag.trim()).filter(Boolean))].join(","))
    .refine(
      (tags) => tags.length <= MAX_TAGS_CHARACTERS,
      `must have at most ${MAX_TAGS_CHARACTERS} characters in all`,
    )
    .describe(
      `Comma-separated, or an array; replaces the account's tags. Up to ${MAX_TAGS_CHARACTERS} characters in all.`,
    ),
});

export const removedAccountSchema = z.object({
  id: z.string(),
  platform,
  accountName: accountSchema.shape.accountName,
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
    dataAccessEndsAt: row.dataAccessEndsAt?.toISOString() ?? null,
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
    serverLimits: row.serverLimits,
  };
}
