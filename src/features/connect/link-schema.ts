import * as z from "zod";
import { MAX_TAGS_CHARACTERS } from "../accounts/rules.ts";
import { plainText, platform } from "../accounts/schema.ts";
import { DEFAULT_LINK_HOURS, LINK_STATUSES, MAX_LINK_HOURS } from "./link-rules.ts";

/** Spec is silent on the bounds of all of these. */
const MAX_URL = 2_048;
const MAX_TITLE = 100;
const MAX_DESCRIPTION = 1_000;
const MAX_TAGS = 20;
const MAX_TAG = 50;

const url = z.string().min(1).max(MAX_URL);
const mode = z.enum(["live", "sandbox"]);

const tag = plainText()
  .trim()
  .min(1)
  .max(MAX_TAG)
  .refine((text) => !text.includes(","), "must have no commas: each tag is an item of its own");

export const newLinkSchema = z
  .strictObject({
    platform: platform.describe(
      "Extension: beyond the specified tiktok, instagram, facebook, youtube and linkedin, each other platform that has a consent page.",
    ),
    mode: mode
      .optional()
      .describe("Extension. `sandbox`: the consent page of the simulated platform."),
    expiresInHours: z
      .number()
      .min(1)
      .max(MAX_LINK_HOURS)
      .default(DEFAULT_LINK_HOURS)
      .describe("From 1 hour to 30 days."),
    logoUrl: url.optional().describe("https. Stands on the page; by default the team's own logo."),
    title: plainText().trim().min(1).max(MAX_TITLE).optional(),
    description: plainText().trim().min(1).max(MAX_DESCRIPTION).optional(),
    redirectUrl: url
      .optional()
      .describe(
        "https. The client is sent on to it afterwards, with `status`, `platform` and `accountId`.",
      ),
    tags: z
      .array(tag)
      .max(MAX_TAGS)
      .default([])
      .transform((tags) => [...new Set(tags)])
      .refine(
        (tags) => tags.join(",").length <= MAX_TAGS_CHARACTERS,
        `must have at most ${MAX_TAGS_CHARACTERS} characters in all`,
      )
      .describe("Added to those of the account."),
  })
  .meta({ id: "NewConnectionLink" });

export type NewLink = z.infer<typeof newLinkSchema>;

const status = z.enum(LINK_STATUSES);

export const linkSchema = z
  .object({
    id: z.number().int().describe("Extension: names the link when it is deleted."),
    token: z.string(),
    url: z.string().describe("The address of the page: send it to the client."),
    expiresAt: z.iso.datetime(),
    status,
    inviteLink: z.string().describe("The same as `url`."),
  })
  .meta({ id: "ConnectionLink" });

export const listedLinkSchema = z
  .object({
    id: z.number().int(),
    token: z.string(),
    platform,
    status,
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: "ListedConnectionLink" });

export const inviteSchema = z
  .object({
    platform,
    mode,
    status,
    expiresAt: z.iso.datetime(),
    title: z.string().nullable(),
    description: z.string().nullable(),
    logoUrl: z.string().nullable(),
    asks: z.string().nullable().describe("The client's part at the platform, in one sentence."),
    identifierLabel: z
      .string()
      .nullable()
      .describe(
        "The label of the page's first field, such as a handle; null when the page asks for nothing.",
      ),
  })
  .meta({ id: "ConnectionInvite" });
