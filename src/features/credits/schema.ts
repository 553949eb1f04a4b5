import * as z from "zod";

const credits = z.number().int();

export const creditsSchema = z
  .object({
    balance: z.object({
      monthlyAllowance: credits.describe("Included in the plan, back on the 1st of a month (UTC)."),
      includedRemaining: credits.describe("Spent first."),
      purchased: credits.describe("What is left of packs; it never expires."),
      total: credits,
    }),
    costs: z.object({
      post: credits,
      linkPost: credits.describe("A post whose text has a link or a bare domain."),
    }),
    packs: z.array(z.object({ name: z.string(), credits, price: z.string() })),
  })
  .meta({ id: "XCredits" });

export type Credits = z.infer<typeof creditsSchema>;
