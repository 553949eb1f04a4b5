import * as z from "zod";
import { CHANNELS, NOTICES } from "../../core/notices.ts";
import { PLATFORMS } from "../../core/platforms.ts";
import { BROKEN_TEXT, isBrokenText } from "../../core/text.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { browserSchema, chatAddress, chatSchema } from "../notices/schema.ts";
import { isHashtag, isWebLink, readZone, toHashtags, toWords } from "./rules.ts";

enableDescriptions();

/** Spec is silent on all limits of settings. */
export const MAX_NAME = 100;
export const MAX_LINK = 500;
export const MAX_WORDS = 500;
export const MAX_WORD = 100;
export const MAX_HASHTAGS = 200;

const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((value) => !isBrokenText(value), BROKEN_TEXT);

const byName = <K extends string, T>(names: readonly K[], value: T) =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<K, T>;

const link = text(MAX_LINK)
  .min(1)
  .refine(isWebLink, "must be an address that begins with https:// or http://");

export const zoneSchema = text(64).transform((value, ctx) => {
  const zone = readZone(value);
  if (zone) return zone;
  ctx.addIssue({ code: "custom", message: "must be an IANA time zone such as Europe/Berlin" });
  return z.NEVER;
});

const hashtags = z
  .array(text(MAX_WORD).refine(isHashtag, "must be one hashtag: letters, digits and _"))
  .max(MAX_HASHTAGS)
  .transform(toHashtags);

const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, "must be a colour such as #3a46d6")
  .toLowerCase();

const on = z.boolean();

const timeOfDay = z
  .string()
  .max(5)
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 22:00");

const quietHours = z
  .strictObject({
    from: timeOfDay,
    to: timeOfDay.describe("May be on the next day."),
    timezone: zoneSchema.openapi({ type: "string", maxLength: 64 }),
  })
  .refine(({ from, to }) => from !== to, {
    path: ["to"],
    error: "must be another time than from",
  });

export const settingsChangeSchema = z
  .strictObject({
    branding: z
      .strictObject({
        name: text(MAX_NAME).min(1).nullable(),
        link: link.nullable(),
        color: color
          .nullable()
          .describe("Of QR codes, and of a stripe on the pages for clients. Null: none."),
      })
      .partial()
      .describe("The look of the pages for clients. The logo has an operation of its own."),
    zone: zoneSchema
      .nullable()
      .openapi({ type: ["string", "null"], maxLength: 64 })
      .describe("IANA time zone of the workspace. Null: UTC."),
    requireMemberApproval: z
      .boolean()
      .describe("Posts of members wait for approval. Only the owner changes it."),
    blocklist: z
      .array(text(MAX_WORD))
      .max(MAX_WORDS)
      .transform(toWords)
      .nullable()
      .openapi({
        type: ["array", "null"],
        maxItems: MAX_WORDS,
        items: { type: "string", maxLength: MAX_WORD },
      })
      .describe("Words that no post of the team may hold, in any case. Null: none."),
    bannedHashtags: z
      .strictObject(
        byName(
          PLATFORMS,
          hashtags.nullable().openapi({
            type: ["array", "null"],
            maxItems: MAX_HASHTAGS,
            items: { type: "string", maxLength: MAX_WORD },
          }),
        ),
      )
      .partial()
      .nullable()
      .describe(
        "Lists by platform, each in place of the platform's own; a platform that is not named keeps its list. Null, for one platform or for all, brings the platform's own list back.",
      ),
    notifications: z
      .strictObject(
        byName(
          NOTICES,
          z.strictObject(byName(CHANNELS, on.nullable())).partial().nullable().optional(),
        ),
      )
      .partial()
      .nullable()
      .describe("The caller's own channels, by kind of notice. Null: on."),
    quietHours: z
      .strictObject({ own: quietHours.nullable(), team: quietHours.nullable() })
      .partial()
      .describe(
        "Notices wait until the hours end: the caller's own by mail, push and chat, and those to the team's chat. Null: none. An extension.",
      ),
    messaging: z
      .strictObject({
        own: chatAddress
          .optional()
          .describe("Incoming webhook of a chat for the caller's own notices. Null: none."),
        team: chatAddress
          .optional()
          .describe("Incoming webhook of a chat for every notice about the team. Null: none."),
      })
      .describe(
        'An incoming webhook of Slack or Discord, the call of a Telegram bot (https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>), or whatever takes a POST of `{"text": …}`, such as Mattermost. The address is a secret: it is kept encrypted and never shown again.',
      ),
  })
  .partial()
  .meta({ id: "SettingsChange" });

export type SettingsChange = z.output<typeof settingsChangeSchema>;

const shownHours = z.object({ from: z.string(), to: z.string(), timezone: z.string() });

export const settingsSchema = z
  .object({
    branding: z.object({
      name: z.string().nullable(),
      link: z.string().nullable(),
      color: z
        .string()
        .regex(/^#[0-9a-f]{6}$/)
        .nullable(),
      logoUrl: z.string().nullable(),
    }),
    zone: z.string().describe("IANA time zone."),
    requireMemberApproval: z.boolean(),
    blocklist: z.array(z.string()),
    bannedHashtags: z
      .record(z.string(), z.array(z.string()))
      .describe(
        "The team's own lists, by platform. `GET /platforms/capabilities` shows the platforms' lists.",
      ),
    notifications: z
      .object(byName(NOTICES, z.object(byName(CHANNELS, on))))
      .describe("The caller's own channels, by kind of notice."),
    quietHours: z.object({ own: shownHours.nullable(), team: shownHours.nullable() }),
    messaging: z.object({ own: chatSchema.nullable(), team: chatSchema.nullable() }),
    push: z.object({
      publicKey: z
        .string()
        .nullable()
        .describe("`applicationServerKey` to subscribe with; null: this instance has none."),
      browsers: z.array(browserSchema).describe("The caller's own, newest first."),
    }),
  })
  .meta({ id: "Settings" });

export const logoSchema = z.object({ logoUrl: z.string() }).meta({ id: "Logo" });
