import * as z from "zod";
import { BROKEN_TEXT, isBrokenText } from "../../core/text.ts";
import { enableDescriptions } from "../../http/describing.ts";
import type { BlockRow } from "./repo.ts";
import { BLOCK_KINDS, BLOCK_NAME, isParameters } from "./rules.ts";

enableDescriptions();

/** Spec is silent. */
export const MAX_BLOCK_CHARACTERS = 10_000;

export const blockName = z
  .string()
  .regex(BLOCK_NAME, "must have up to 50 small letters, digits and hyphens, such as spring-sale");

export const newBlockSchema = z
  .strictObject({
    kind: z
      .enum(BLOCK_KINDS)
      .default("text")
      .describe(
        "`text`: put in the place of `{block:name}`. `utm`: parameters, such as utm_source={platform}&utm_medium=social, which `{block:name|https://example.com}` adds to the address.",
      ),
    text: z
      .string()
      .min(1)
      .max(MAX_BLOCK_CHARACTERS)
      .refine((text) => !isBrokenText(text), BROKEN_TEXT)
      .describe(
        "May have variables: {platform} and {account} are the post's, others are given as `{block:name|product=Shoes}`.",
      ),
  })
  .refine(({ kind, text }) => kind === "text" || isParameters(text), {
    path: ["text"],
    error: "must be parameters, such as utm_source={platform}&utm_medium=social",
  })
  .meta({ id: "NewTextBlock" });

export const blockSchema = z
  .object({
    name: z.string(),
    kind: z.enum(BLOCK_KINDS),
    text: z.string(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: "TextBlock" });

export const toBlock = ({ name, kind, text, updatedAt }: BlockRow) => ({
  name,
  kind,
  text,
  updatedAt: updatedAt.toISOString(),
});
