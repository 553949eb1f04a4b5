import * as z from "zod";
import { enableDescriptions } from "../../http/describing.ts";
import { rowId } from "../../http/ids.ts";
import { wholeNumber } from "../../http/whole-number.ts";
import { plainText } from "../accounts/schema.ts";
import { MAX_URL_CHARACTERS } from "./destinations.ts";
import type { ListedLink } from "./repo/links.ts";
import { newRuleSchema, ruleSchema } from "./rule-schema.ts";
import { MAX_RULES } from "./rules.ts";
import { MAX_KEPT_A_MINUTE } from "./statistics.ts";

enableDescriptions();

/** Spec is silent. */
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 500;
/** Bounds parsing only; a slug has a lower limit. */
const MAX_GIVEN_SLUG = 200;

const url = z.string().max(MAX_URL_CHARACTERS);

const fields = {
  domainId: rowId
    .nullable()
    .describe("A verified domain of the team; the instance's own address by default."),
  slug: z
    .string()
    .max(MAX_GIVEN_SLUG)
    .describe(
      "The letters a to z, digits, `-` and `_`, 64 at most; capitals are the same as small letters. Empty: one is made.",
    ),
  title: plainText().max(MAX_TITLE).nullable().describe("For the previews of social networks."),
  description: plainText()
    .max(MAX_DESCRIPTION)
    .nullable()
    .describe("A description, for the same previews."),
  imageUrl: url.nullable().describe("An image for the same previews: an http or https URL."),
  useDeeplink: z
    .boolean()
    .describe(
      "On iOS and Android, destinations on a platform whose app takes links open in it, or on the web where it is not installed.",
    ),
  botProtection: z.boolean().describe("Bots are sent to `safeUrl`, and are not counted."),
  safeUrl: url.nullable().describe("An http or https URL. Needed for `botProtection`."),
  rules: z
    .array(newRuleSchema)
    .max(MAX_RULES)
    .describe("Each rule sends some visitors elsewhere. The first that matches decides."),
};

const optional = z.object(fields).partial().shape;

export const newLinkSchema = z
  .strictObject({ url: url.min(1).describe("The default destination."), ...optional })
  .meta({ id: "NewShortLink" });

export type NewLink = z.output<typeof newLinkSchema>;

export const linkChangeSchema = z
  .strictObject({
    url: url.min(1).optional().describe("The same as `destination`."),
    destination: url.min(1).optional().describe("The default destination."),
    isActive: z.boolean().optional().describe("`false`: the address answers 404."),
    ...optional,
  })
  .meta({ id: "ShortLinkChange" });

export type LinkChange = z.output<typeof linkChangeSchema>;

const yes = z.literal(true);
const id = z.number().int();

const shown = {
  id,
  slug: z.string(),
  shortUrl: z.string(),
  destination: z.string(),
};

export const createdLinkSchema = z
  .object({ success: yes, ...shown, isActive: z.boolean() })
  .meta({ id: "CreatedShortLink" });

const listed = {
  ...shown,
  clicks: z.number().int(),
  isActive: z.boolean(),
  createdAt: z.iso.datetime(),
  domainId: id.nullable().describe("Extension. Null: the instance's own address."),
  title: z.string().nullable().describe("Extension."),
  description: z.string().nullable().describe("Extension."),
  imageUrl: z.string().nullable().describe("Extension."),
  useDeeplink: z.boolean().describe("Extension."),
  botProtection: z.boolean().describe("Extension."),
  safeUrl: z.string().nullable().describe("Extension."),
};

export const linkSchema = z.object(listed).meta({ id: "ShortLink" });

export const changedLinkSchema = linkSchema.extend({ success: yes, rules: z.array(ruleSchema) });

const counted = (name: string, what: string) =>
  z.array(z.object({ [name]: z.string().nullable(), clicks: z.number().int() })).describe(what);

export const wholeLinkSchema = z
  .object({
    success: yes,
    ...listed,
    rules: z.array(ruleSchema).describe("The highest priority first."),
    linkClicks: z
      .array(
        z.object({
          country: z.string().nullable().describe("ISO 3166-1 alpha-2; null: unknown."),
          device: z.string().describe("mobile, desktop, tablet or bot."),
          clickedAt: z.iso.datetime(),
        }),
      )
      .describe(
        `The newest 200, newest first. Clicks are kept for 90 days, at most ${MAX_KEPT_A_MINUTE} of a minute, and counted for good.`,
      ),
    statistics: z
      .object({
        days: counted("day", "Newest first, UTC; days without a click are left out."),
        countries: counted("country", "Without bots. Most clicks first."),
        devices: counted("device", "mobile, desktop, tablet and bot. Most clicks first."),
        countedOnly: z
          .number()
          .int()
          .describe(
            `Clicks among them that were counted and not kept singly: of each link, the first ${MAX_KEPT_A_MINUTE} of a minute are kept.`,
          ),
      })
      .describe("Extension. The clicks of the last 90 days."),
  })
  .meta({ id: "ShortLinkDetail" });

export function toLink(row: ListedLink, shortUrl: string): z.infer<typeof linkSchema> {
  const { id, host: _, domainId, createdAt, slug, destination, clicks, isActive, ...rest } = row;
  return {
    id,
    slug,
    shortUrl,
    destination,
    clicks,
    isActive,
    createdAt: createdAt.toISOString(),
    ...rest,
    domainId: domainId === 0 ? null : domainId,
  };
}

const PAGE = { default: 50, max: 1_000 };

const FORMAT = /^[1-9]\d{0,8}$/;

const MAX_PAGE = 1_000_000;

/** Spec is silent. */
const MAX_SEARCH = 100;

export const linkPageSchema = z.object({
  page: wholeNumber(FORMAT, MAX_PAGE, 1).describe("Number of the page, from 1."),
  limit: wholeNumber(FORMAT, PAGE.max, PAGE.default).describe("Links on a page."),
  search: z
    .string()
    .trim()
    .min(1)
    .max(MAX_SEARCH)
    .optional()
    .describe("Extension. Words in the slug, the destination or the title."),
});

export type LinkPage = z.output<typeof linkPageSchema>;
