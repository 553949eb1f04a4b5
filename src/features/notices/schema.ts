import * as z from "zod";
import { MAX_URL_CHARACTERS } from "../../core/webhooks.ts";

const key = (description: string) => z.string().min(1).max(200).describe(description);

/** The answer of `PushSubscription.toJSON()`. */
export const newBrowserSchema = z
  .strictObject({
    endpoint: z
      .string()
      .min(1)
      .max(MAX_URL_CHARACTERS)
      .describe("The browser's address at its push service."),
    expirationTime: z.number().nullable().optional().describe("Ignored."),
    keys: z.strictObject({
      p256dh: key("The browser's public key, base64url."),
      auth: key("The browser's shared secret, base64url."),
    }),
  })
  .meta({ id: "NewPushSubscription" });

export const browserSchema = z
  .object({
    id: z.number().int(),
    name: z.string().describe("Browser and system."),
    error: z
      .string()
      .nullable()
      .describe("The reason why the last notice was refused; null once one was accepted."),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "PushSubscription" });

export const chatSchema = z
  .object({
    address: z.string().describe("The address without its secret part."),
    error: z
      .string()
      .nullable()
      .describe("The reason why the last message was refused; null once one was accepted."),
  })
  .meta({ id: "Chat" });

export const chatAddress = z.string().min(1).max(MAX_URL_CHARACTERS).nullable();
