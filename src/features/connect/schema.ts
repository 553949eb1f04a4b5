import * as z from "zod";
import type { Platform } from "../../core/platforms.ts";
import { isBrokenText } from "../../core/text.ts";
import { enableDescriptions } from "../../http/describing.ts";
import type { LoginField, LoginForm, LoginValues } from "../../platforms/login.ts";
import { connectors, platformName } from "../../platforms/registry.ts";
import { MAX_TAGS_CHARACTERS } from "../accounts/rules.ts";
import { plainText, platform } from "../accounts/schema.ts";
import {
  type ConsentRequest,
  DEFAULT_LINK_HOURS,
  LINK_STATUSES,
  MAX_IDENTIFIER,
  MAX_LINK_HOURS,
} from "./rules.ts";

enableDescriptions();

/** Spec is silent. */
const MAX_URL = 2_048;

const url = z.string().min(1).max(MAX_URL);

const mode = z.enum(["live", "sandbox"]);

const type = z
  .enum(["person", "page"], { error: "must be person or page" })
  .optional()
  .describe(
    "linkedin: `page` uses the app for pages, where the instance has one. Default: `person`.",
  );

const consentFields = z.object({
  platform,
  mode: mode.optional().describe("`sandbox`: the consent page of the simulated platform."),
  type,
  identifier: plainText()
    .trim()
    .min(1)
    .max(MAX_IDENTIFIER)
    .optional()
    .describe("bluesky: the account's handle or DID, or the address of its server."),
  server: plainText()
    .trim()
    .min(1)
    .max(MAX_IDENTIFIER)
    .optional()
    .describe("mastodon: the address of the account's server, such as mastodon.social."),
  redirectUrl: url.optional().describe("https. The person is sent on to it, however it ends."),
});

/** Safe in headers and URLs; no platform uses other characters. */
const token = z
  .string()
  .min(1)
  .max(8_192)
  .regex(/^[\x21-\x7e]+$/, "must be the token alone: printable ASCII without spaces");

const credentials = z.strictObject({
  accessToken: token,
  refreshToken: token.optional(),
  expiresAt: z.iso
    .datetime({
      offset: true,
      error: "must be ISO 8601 with an offset, such as 2026-12-01T09:00:00Z",
    })
    .transform((text) => new Date(text))
    .optional(),
});

const base = {
  platform,
  service: z
    .string()
    .max(MAX_URL)
    .optional()
    .describe(
      "bluesky: the account's own server, as its DID document names it. mastodon: the account's server.",
    ),
};

const MAX_PAGE_ID_CHARACTERS = 100;

const isPageId = (value: unknown): boolean =>
  typeof value === "string" &&
  value.trim() !== "" &&
  value.length <= MAX_PAGE_ID_CHARACTERS &&
  !isBrokenText(value);

/** Not `z.string()`: a number must be a mistake in this field, not in the whole union. */
const pageId = z
  .custom<string>(isPageId, {
    error: `must be text of 1 to ${MAX_PAGE_ID_CHARACTERS} characters`,
    abort: false,
  })
  .optional()
  .openapi({ type: "string", minLength: 1, maxLength: MAX_PAGE_ID_CHARACTERS })
  .describe(
    "Id of the page to publish as, when a person's login also covers pages (facebook, linkedin).",
  );

function loginField({ maxLength, isOptional, isAddress }: LoginField) {
  const text = isAddress ? z.string().max(maxLength) : plainText().trim().min(1).max(maxLength);
  return isOptional ? text.optional() : text;
}

const namesOf = ({ fields }: LoginForm): string => fields.map(({ name }) => name).join(", ");

/** Platforms with the same fields share an entry. */
const LOGIN_FORMS = new Map(
  connectors().flatMap(({ logins = [] }) => logins.map((form) => [namesOf(form), form] as const)),
);

const writtenForm = ({ fields }: LoginForm): string =>
  `{${fields
    .filter(({ isOptional }) => !isOptional)
    .map(({ name }) => `"${name}"`)
    .join(", ")}}`;

const takersOf = (names: string): string =>
  connectors()
    .filter(({ logins = [] }) => logins.some((form) => namesOf(form) === names))
    .map((one) => platformName(one.platform))
    .join(", ");

interface NewLogin {
  platform: Platform;
  login: LoginValues;
}

const LOGINS = [...LOGIN_FORMS].map(([names, { fields }]) =>
  z
    .strictObject({
      platform,
      ...Object.fromEntries(fields.map((field) => [field.name, loginField(field)])),
    })
    .transform((input): NewLogin => {
      const { platform: of, ...login } = input;
      return { platform: of, login };
    })
    .describe(`Connects an account of ${takersOf(names)} at once.`),
);

/** Spec is silent on connecting an account without a consent page. */
export const NEW_ACCOUNTS = [
  z.strictObject({
    platform,
    sandbox: z.literal(true),
    name: plainText().trim().min(1).max(100).optional(),
    pageId,
    type,
  }),
  z.strictObject({ ...base, pageId, type, credentials }),
  ...LOGINS,
] as const;

export const newAccountSchema = z.union(NEW_ACCOUNTS);

export type NewAccount = z.infer<typeof newAccountSchema>;

const FIELDS = Object.keys(consentFields.shape);

/** Refuses unknown fields first: a caller who meant another way to connect gets the error of that way. */
const consentRequestSchema = consentFields
  .loose()
  .refine((input) => Object.keys(input).every((name) => FIELDS.includes(name)), { abort: true })
  .openapi({ additionalProperties: false });

export const newConnectionSchema = z
  .union([...NEW_ACCOUNTS, consentRequestSchema], {
    error: `Send a platform, alone or with a redirectUrl, to connect by the platform's consent page; or with one of: {"sandbox": true}, ${[...LOGIN_FORMS.values()].map(writtenForm).join(", ")}, {"credentials": {"accessToken"}}.`,
  })
  .meta({ id: "NewAccount" });

export const openerSchema = z
  .object({
    success: z.literal(true),
    authorizationUrl: z.url().describe("The address to send the person to."),
    expiresAt: z.iso.datetime().describe("Until when it can be opened."),
  })
  .meta({ id: "Authorization" });

type ConsentInput = z.infer<typeof consentFields>;

export const isConsentRequest = (input: NewAccount | ConsentInput): input is ConsentInput =>
  !("sandbox" in input || "credentials" in input || "login" in input);

export const toConsentRequest = (input: ConsentInput): ConsentRequest => ({
  platform: input.platform,
  mode: input.mode ?? "live",
  type: input.type ?? null,
  identifier: input.identifier ?? input.server ?? null,
  redirectUrl: input.redirectUrl ?? null,
});

/** Spec is silent on a link's fields. */
const MAX_TITLE = 100;

const MAX_DESCRIPTION = 1_000;

const MAX_TAGS = 20;

const MAX_TAG = 50;

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
    type: type.describe(
      "Extension. linkedin: `page` uses the app for pages, where the instance has one. Default: `person`.",
    ),
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

const address = z.object({ name: z.string(), url: z.url() });

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
    untilAudit: z
      .string()
      .nullable()
      .describe("What the platform does with posts until it has audited the instance's app."),
    terms: z
      .object({ service: address, privacy: address, access: address })
      .nullable()
      .describe(
        "What the platform wants to be shown to a person who connects: its terms, its privacy policy, and where access ends.",
      ),
  })
  .meta({ id: "ConnectionInvite" });
