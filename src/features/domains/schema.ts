import * as z from "zod";
import { enableDescriptions } from "../../http/describing.ts";
import { MAX_ID, rowId } from "../../http/ids.ts";
import type { CountedDomain, DomainRow } from "./repo.ts";
import { MAX_DOMAIN_CHARACTERS } from "./rules.ts";

enableDescriptions();

export const newDomainSchema = z
  .strictObject({
    domain: z
      .string()
      .min(1)
      .max(MAX_DOMAIN_CHARACTERS + 1)
      .describe("Fully qualified, such as `go.example.com`."),
    teamId: rowId
      .optional()
      .describe("The team of the call, by its id. Left out: the domain is a personal one."),
  })
  .meta({ id: "NewDomain" });

export type NewDomain = z.output<typeof newDomainSchema>;

export const domainFilterSchema = z.object({
  teamId: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, "must be the id of a team")
    .transform(Number)
    .optional()
    .openapi({ type: "integer", minimum: 1, maximum: MAX_ID })
    .describe("Domains that were added for the team of the call; personal ones when left out."),
});

const shown = {
  id: z.number().int(),
  domain: z.string(),
  userId: z.number().int().describe("The person who added it."),
  teamId: z.number().int().nullable().describe("Null: personal."),
  verified: z.boolean(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};

export const listedDomainSchema = z
  .object({ ...shown, _count: z.object({ shortLinks: z.number().int() }) })
  .meta({ id: "Domain" });

const edge = {
  edgeHostnameId: z
    .string()
    .nullable()
    .describe(
      "Cloudflare's id of the domain; null when this instance checks domains by DNS alone.",
    ),
  edgeOwnershipTxtName: z.string().describe("Name of the TXT record to add."),
  edgeOwnershipTxtValue: z.string().describe("Its value."),
  edgeDcvCnameTarget: z.string().describe("Target of the CNAME record to add."),
};

export const domainSchema = z
  .object({ success: z.literal(true), ...shown, ...edge })
  .meta({ id: "DomainDetail" });

type Shown = Omit<CountedDomain, "links">;

const toShown = (row: Shown) => ({
  id: row.id,
  domain: row.host,
  userId: row.userId,
  teamId: row.isShared ? row.teamId : null,
  verified: row.verifiedAt !== null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

export const toListedDomain = (row: CountedDomain): z.infer<typeof listedDomainSchema> => ({
  ...toShown(row),
  _count: { shortLinks: row.links },
});

export const toDomain = (row: DomainRow): z.infer<typeof domainSchema> => ({
  success: true,
  ...toShown(row),
  edgeHostnameId: row.edgeHostnameId,
  edgeOwnershipTxtName: row.txtName,
  edgeOwnershipTxtValue: row.txtValue,
  edgeDcvCnameTarget: row.cnameTarget,
});
