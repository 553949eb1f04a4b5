import * as z from "zod";
import { parseInstant } from "../../core/time.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { MAX_URL_CHARACTERS } from "./destinations.ts";
import { DEVICES, type StoredRule, SYSTEMS } from "./evaluate.ts";
import { COUNTRIES, MAX_ITEMS, MAX_PRIORITY } from "./rules.ts";

enableDescriptions();

/** Spec is silent. */
const MAX_LIST_CHARACTERS = 2_000;

type Judge = (item: string) => string | null;

function listOf(normalise: (item: string) => string, refusalOf: Judge) {
  return z
    .string()
    .max(MAX_LIST_CHARACTERS)
    .transform((text, context) => {
      const items = text.split(",").map((item) => normalise(item.trim()));
      const list = [...new Set(items.filter(Boolean))];
      const refuse = (message: string) =>
        context.issues.push({ code: "custom", input: text, message });
      if (list.length === 0) refuse("must name at least one");
      if (list.length > MAX_ITEMS) refuse(`must name at most ${MAX_ITEMS}`);
      const refusal = list.map(refusalOf).find((one) => one !== null);
      if (refusal) refuse(refusal);
      return list.join(",");
    })
    .openapi({ type: "string", maxLength: MAX_LIST_CHARACTERS });
}

const oneOf =
  (allowed: readonly string[]): Judge =>
  (item) =>
    allowed.includes(item) ? null : `has ${shown(item)}, which is not one of ${allowed.join(", ")}`;

const shown = (item: string): string => JSON.stringify(item.slice(0, 40));

const lower = (item: string): string => item.toLowerCase();

const countryCodes = listOf(
  (item) => item.toUpperCase(),
  (item) =>
    COUNTRIES.has(item) ? null : `has ${shown(item)}, which is not a country of ISO 3166-1 alpha-2`,
);

/** @see https://www.rfc-editor.org/rfc/rfc5646#section-2.1 */
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}$/;
const languages = listOf(lower, (item) =>
  LANGUAGE.test(item)
    ? null
    : `has ${shown(item)}, which is not a language code such as de or pt-BR`,
);

/** A domain or a word: browsers send little more of a referring URL than its host. */
const REFERER = /^[a-z0-9._~-]{2,100}$/;
const referers = listOf(lower, (item) =>
  REFERER.test(item)
    ? null
    : `has ${shown(item)}, which is not a domain or word: 2 to 100 letters, digits, dots and hyphens`,
);

/** Refuses years before 0 or after 9999, which are longer. */
const ISO_LENGTH = "2026-12-24T18:00:00.000Z".length;

const instant = z
  .string()
  .max(40)
  .transform((text, context) => {
    const iso = parseInstant(text)?.toISOString();
    if (iso?.length === ISO_LENGTH) return iso;
    const message = "must be a date and time with its offset, such as 2026-12-24T18:00:00Z";
    context.issues.push({ code: "custom", input: text, message });
    return z.NEVER;
  })
  .openapi({ type: "string", format: "date-time", maxLength: 40 });

const shared = {
  destination: z.string().min(1).max(MAX_URL_CHARACTERS).describe("An http or https URL."),
  priority: z
    .number()
    .int()
    .min(0)
    .max(MAX_PRIORITY)
    .optional()
    .describe(
      "The rule with the highest priority is tried first. Left out: one more than the highest so far. A priority that is taken moves the rules of equal or higher priority up by one.",
    ),
};

const geo = z
  .strictObject({
    type: z.literal("geo"),
    ...shared,
    countryCodes: countryCodes.describe("ISO 3166-1 alpha-2, comma-separated."),
  })
  .meta({ id: "GeoRule" });

const device = z
  .strictObject({
    type: z.literal("device"),
    ...shared,
    devices: listOf(lower, oneOf(DEVICES))
      .optional()
      .describe(`One or more of ${DEVICES.join(", ")}, comma-separated.`),
    os: listOf(lower, oneOf(SYSTEMS))
      .optional()
      .describe(
        `One or more of ${SYSTEMS.join(", ")}, comma-separated. With \`devices\`, both must match.`,
      ),
  })
  .refine((rule) => rule.devices !== undefined || rule.os !== undefined, "needs devices or os")
  .meta({ id: "DeviceRule" });

const language = z
  .strictObject({
    type: z.literal("language"),
    ...shared,
    languages: languages.describe(
      "Language codes, comma-separated; `de` stands for `de-AT` too. They are compared with the language that the visitor's browser prefers.",
    ),
  })
  .meta({ id: "LanguageRule" });

const time = z
  .strictObject({
    type: z.literal("time"),
    ...shared,
    startTime: instant.optional().describe("The rule matches from this moment on."),
    endTime: instant.optional().describe("The rule matches until just before this moment."),
  })
  .refine(
    (rule) => rule.startTime !== undefined || rule.endTime !== undefined,
    "needs startTime or endTime",
  )
  .refine(
    ({ startTime, endTime }) =>
      startTime === undefined || endTime === undefined || startTime < endTime,
    { path: ["endTime"], message: "must be after startTime" },
  )
  .meta({ id: "TimeRule" });

const referer = z
  .strictObject({
    type: z.literal("referer"),
    ...shared,
    referers: referers.describe(
      "Domains, which include their subdomains, or words in the address, comma-separated.",
    ),
  })
  .meta({ id: "RefererRule" });

/** Spec is silent: a time rule needs only one of `startTime` and `endTime`. */
export const newRuleSchema = z.discriminatedUnion("type", [geo, device, language, time, referer], {
  error: "must have a type of geo, device, language, time or referer",
});

const list = z.string().optional();

export const ruleSchema = z
  .object({
    type: z.enum(["geo", "device", "language", "time", "referer"]),
    destination: z.string(),
    priority: z.number().int(),
    countryCodes: list.describe("Countries of a `geo` rule."),
    devices: list.describe("Devices of a `device` rule."),
    os: list.describe("Operating systems of a `device` rule."),
    languages: list.describe("Languages of a `language` rule."),
    startTime: z.iso.datetime().optional().describe("Start of a `time` rule."),
    endTime: z.iso.datetime().optional().describe("End of a `time` rule."),
    referers: list.describe("Referers of a `referer` rule."),
  })
  .meta({ id: "Rule" });

export const toRule = (rule: StoredRule): z.infer<typeof ruleSchema> => rule;
