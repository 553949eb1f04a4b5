import * as z from "zod";
import { invalidFields } from "../../core/errors.ts";
import { parseInstant } from "../../core/time.ts";
import { MAX_URL_CHARACTERS, refusedTarget } from "../../core/webhooks.ts";
import type { Deps } from "../../deps.ts";
import { enableDescriptions } from "../../http/describing.ts";
import { envelopeSchema, SUBSCRIBABLE } from "../events/catalogue.ts";
import { toEnvelope } from "../events/envelope.ts";
import type { LoggedAttempt, WebhookRow } from "./repo/webhooks.ts";

enableDescriptions();

/** Spec is silent. */
const SECRET = { min: 16, max: 255 };
const isPrintable = (text: string): boolean => /^[\x21-\x7e]*$/.test(text);

/** Spec is silent. */
const MAX_NAMES = 100;

const eventName = z.enum(SUBSCRIBABLE, {
  error: `must be one of ${SUBSCRIBABLE.join(", ")}`,
});

export const newWebhookSchema = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .max(MAX_URL_CHARACTERS)
      .refine((text) => text === "" || URL.canParse(text), "is not a URL")
      .describe("An https URL of the public internet. It receives a POST for each event."),
    events: z
      .array(eventName)
      .min(1)
      .max(MAX_NAMES)
      .transform((names) => [...new Set(names)])
      .openapi({
        type: "array",
        minItems: 1,
        maxItems: MAX_NAMES,
        items: { type: "string", enum: [...SUBSCRIBABLE] },
      })
      .describe("Names of the events to be sent."),
    secret: z
      .string()
      .min(SECRET.min)
      .max(SECRET.max)
      .refine(isPrintable, "must have only ASCII characters, without spaces")
      .optional()
      .describe("Signs the events. When left out, a secret is made."),
  })
  .meta({ id: "NewWebhook" });

export type NewWebhook = z.output<typeof newWebhookSchema>;

/** @throws AppError 400 for a forbidden address */
export function requireTarget(url: string, config: Deps["config"]): void {
  const refusal = refusedTarget(url, config);
  if (refusal) throw invalidFields([{ field: "url", message: `url: ${refusal}` }]);
}

export const webhookChangeSchema = z
  .strictObject({
    isActive: z
      .boolean()
      .describe("`true` switches it on and forgets its failures, `false` pauses it."),
  })
  .meta({ id: "WebhookChange" });

export const webhookSchema = z
  .object({
    id: z.number().int(),
    url: z.string(),
    events: z.array(z.string()),
    isActive: z
      .boolean()
      .describe("False while paused, and once 3 events in a row have failed all their attempts."),
    failureCount: z
      .number()
      .int()
      .describe(
        "Events in a row that failed all their attempts; an event that arrives sets it to 0. Test pings and replays change nothing.",
      ),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "Webhook" });

export const secretOf = { secret: z.string().describe("Shown this once.") };

export const createdWebhookSchema = webhookSchema.extend(secretOf).meta({ id: "CreatedWebhook" });

type Shown = Omit<z.infer<typeof webhookSchema>, "createdAt" | "updatedAt"> &
  Pick<WebhookRow, "createdAt" | "updatedAt">;

export function toWebhook(row: Shown): z.infer<typeof webhookSchema> {
  const { id, url, events, isActive, failureCount, createdAt, updatedAt } = row;
  return {
    id,
    url,
    events,
    isActive,
    failureCount,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** Source: spec, "Response codes and limits". */
const DELIVERIES = { default: 50, max: 200 };

export const deliveryPageSchema = z.object({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, `must be a whole number from 1 to ${DELIVERIES.max}`)
    .transform(Number)
    .refine((value) => value <= DELIVERIES.max, `must be from 1 to ${DELIVERIES.max}`)
    .default(DELIVERIES.default)
    .openapi({ type: "integer", minimum: 1, maximum: DELIVERIES.max, default: DELIVERIES.default })
    .describe("Attempts on the page."),
});

export const replayFailedSchema = z
  .strictObject({
    since: z
      .string({ error: "is needed: an instant such as 2026-11-01T00:00:00Z" })
      .transform((text, ctx): Date => {
        const at = parseInstant(text);
        if (at) return at;
        ctx.addIssue({
          code: "custom",
          message: "must be an instant with an offset, such as 2026-11-01T00:00:00Z",
        });
        return z.NEVER;
      })
      .openapi({ type: "string", format: "date-time" })
      .describe("Attempts from here on are looked at."),
  })
  .meta({ id: "ReplayFailed" });

export const deliverySchema = z
  .object({
    id: z.string(),
    eventId: z.string(),
    event: z.string(),
    attempt: z.number().int().describe("1 is the first."),
    success: z.boolean(),
    statusCode: z.number().int().nullable().describe("Null: there was no answer."),
    error: z.string().nullable(),
    durationMs: z.number().int(),
    answer: z
      .string()
      .nullable()
      .describe("The beginning of the answer's body, where the attempt failed."),
    payload: envelopeSchema
      .nullable()
      .describe("The payload as it was sent; null once its event is older than 30 days."),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "Delivery" });

export function toDelivery(row: LoggedAttempt): z.infer<typeof deliverySchema> {
  const { data, eventAt, createdAt, ...rest } = row;
  const { eventId: id, event } = row;
  const payload =
    data === null || eventAt === null ? null : toEnvelope({ id, event, createdAt: eventAt, data });
  return { ...rest, payload, createdAt: createdAt.toISOString() };
}
