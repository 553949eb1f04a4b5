import * as z from "zod";
import { enableDescriptions } from "../../http/describing.ts";
import { NEW_ACCOUNTS, type NewAccount, plainText, platform } from "../accounts/schema.ts";
import { MAX_IDENTIFIER } from "./rules.ts";
import type { WantedConsent } from "./start.ts";

enableDescriptions();

const wantedFields = z.object({
  platform,
  mode: z
    .enum(["live", "sandbox"])
    .optional()
    .describe("`sandbox`: the consent page of the simulated platform."),
  identifier: plainText()
    .trim()
    .min(1)
    .max(MAX_IDENTIFIER)
    .optional()
    .describe("bluesky: the account's handle or DID, or the address of its server."),
  redirectUrl: z
    .string()
    .min(1)
    .max(2_048)
    .optional()
    .describe("https. The person is sent on to it, however it ends."),
});

const FIELDS = Object.keys(wantedFields.shape);

/**
 * Strict, but by a check that ends the parsing, so that a caller who meant one of the other ways sees the mistake
 * in that one.
 */
const wantedConsentSchema = wantedFields
  .loose()
  .refine((input) => Object.keys(input).every((name) => FIELDS.includes(name)), { abort: true })
  .openapi({ additionalProperties: false });

export const newConnectionSchema = z
  .union([...NEW_ACCOUNTS, wantedConsentSchema], {
    error:
      'Send a platform, alone or with a redirectUrl, to connect by the platform\'s consent page; or with one of: {"sandbox": true}, {"identifier", "appPassword"}, {"credentials": {"accessToken"}}.',
  })
  .meta({ id: "NewAccount" });

export const openerSchema = z
  .object({
    success: z.literal(true),
    authorizationUrl: z.url().describe("The address to send the person to."),
    expiresAt: z.iso.datetime().describe("Until when it can be opened."),
  })
  .meta({ id: "Authorization" });

type WantedInput = z.infer<typeof wantedFields>;

export const isWantedConsent = (input: NewAccount | WantedInput): input is WantedInput =>
  !("sandbox" in input || "credentials" in input || "appPassword" in input);

export const toWantedConsent = (input: WantedInput): WantedConsent => ({
  platform: input.platform,
  mode: input.mode ?? "live",
  identifier: input.identifier ?? null,
  redirectUrl: input.redirectUrl ?? null,
});
