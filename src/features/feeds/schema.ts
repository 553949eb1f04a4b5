import * as z from "zod";
import { enableDescriptions } from "../../http/describing.ts";
import { MAX_ACCOUNTS } from "../content/bounds.ts";
import { DEFAULT_TEMPLATE, unknownVariable, VARIABLES } from "./rules.ts";
import { FEED_STATUSES, type FeedRow } from "./table.ts";

enableDescriptions();

const MAX_URL_CHARACTERS = 2_048;
const MAX_TEMPLATE_CHARACTERS = 5_000;

const fields = {
  url: z
    .string()
    .min(1)
    .max(MAX_URL_CHARACTERS)
    .describe(
      "An RSS, Atom or JSON feed; a page that names one; or a channel or playlist of YouTube.",
    ),
  accountIds: z
    .array(z.string().max(100))
    .min(1, "must name at least one account")
    .max(MAX_ACCOUNTS),
  template: z
    .string()
    .min(1)
    .max(MAX_TEMPLATE_CHARACTERS)
    .refine((template) => unknownVariable(template) === undefined, {
      error: ({ input }) =>
        `has {${unknownVariable(String(input))}}, which is no variable: there are ${VARIABLES.map((name) => `{${name}}`).join(", ")}`,
    })
    .describe(
      "The text of a post, with {title}, {link}, {summary}, {author} and {date} of the entry, and the team's text blocks, such as {block:spring|{link}}.",
    ),
  status: z
    .enum(FEED_STATUSES)
    .nullable()
    .describe("Null publishes at once, with whatever approval the caller's posts need."),
  picture: z.boolean().describe("Adds the entry's first picture, where it has one."),
  isActive: z.boolean(),
};

export const newFeedSchema = z
  .strictObject({
    url: fields.url,
    accountIds: fields.accountIds,
    template: fields.template.default(DEFAULT_TEMPLATE),
    status: fields.status.default("draft"),
    picture: fields.picture.default(true),
  })
  .meta({ id: "NewFeed" });

export type NewFeed = z.output<typeof newFeedSchema>;

export const feedChangeSchema = z.strictObject(fields).partial().meta({ id: "FeedChange" });

export type FeedChange = z.output<typeof feedChangeSchema>;

export const feedSchema = z
  .object({
    id: z.number().int(),
    url: z.string(),
    accountIds: z.array(z.string()),
    template: z.string(),
    status: z.enum(FEED_STATUSES).nullable(),
    picture: z.boolean(),
    isActive: z.boolean(),
    createdAt: z.iso.datetime(),
    checkedAt: z.iso.datetime().nullable(),
    nextAt: z.iso.datetime().nullable().describe("The next check; null while it is off."),
    problem: z
      .string()
      .nullable()
      .describe("Why the last check failed, or an entry made no post; null otherwise."),
  })
  .meta({ id: "Feed" });

export const toFeed = (row: FeedRow): z.infer<typeof feedSchema> => ({
  id: row.id,
  url: row.url,
  accountIds: row.accountIds,
  template: row.template,
  status: row.status,
  picture: row.takesPicture,
  isActive: row.isActive,
  createdAt: row.createdAt.toISOString(),
  checkedAt: row.checkedAt?.toISOString() ?? null,
  nextAt: row.isActive ? row.nextAt.toISOString() : null,
  problem: row.problem,
});
