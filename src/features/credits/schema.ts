import * as z from "zod";

const credits = z.number().int();

export const creditsSchema = z
  .object({
    balance: z.object({
      monthlyAllowance: credits.describe(
        "Included in the plan; renewed on the 1st of every month (UTC).",
      ),
      includedRemaining: credits.describe("Included credits that are left. These are spent first."),
      purchased: credits.describe("Purchased credits that are left. These never expire."),
      total: credits,
    }),
    costs: z.object({
      post: credits,
      linkPost: credits.describe("A post whose text has a link or a domain such as example.com."),
    }),
    packs: z.array(z.object({ name: z.string(), credits, price: z.string() })),
  })
  .meta({ id: "XCredits" });

export type Credits = z.infer<typeof creditsSchema>;
