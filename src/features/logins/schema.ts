import * as z from "zod";

export const mentionQuery = z
  .string({ error: "is required; send a name or handle" })
  .trim()
  .min(1, "is required; send a name or handle")
  .max(200, "must have at most 200 characters")
  .describe("A name or handle; for LinkedIn, the name in a page's address, or the address.");

export const mentionedSchema = z
  .object({
    name: z.string(),
    handle: z.string().nullable(),
    mention: z.string().describe("Put it into the post's text as it stands."),
    url: z.string(),
  })
  .meta({ id: "MentionedAccount" });
