import * as z from "zod";
import { enableDescriptions } from "../../http/describing.ts";
import { wholeNumber } from "../../http/whole-number.ts";
import { ACTIONS, ACTOR_KINDS, type Action, SUBJECTS } from "./actions.ts";
import type { Line } from "./repo.ts";

enableDescriptions();

const PAGE = { default: 50, max: 200 };

const CURSOR = /^act_[0-9a-f]{28}$/;

export const activityPageSchema = z.object({
  limit: wholeNumber(/^[1-9]\d{0,2}$/, PAGE.max, PAGE.default).describe("Lines on the page."),
  after: z
    .string()
    .regex(CURSOR, "must be the nextCursor of an earlier page")
    .optional()
    .describe("`nextCursor` of the page before; left out, the newest lines."),
  type: z
    .enum(SUBJECTS, { error: `must be one of ${SUBJECTS.join(", ")}` })
    .optional()
    .describe("Lines about subjects of this type alone."),
});

export type ActivityPage = z.output<typeof activityPageSchema>;

const lineSchema = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    actor: z.object({
      type: z.enum(ACTOR_KINDS).describe("`agent`: a token, through /mcp. `client`: by a link."),
      id: z.int().nullable().describe("Of the person, the token or the link."),
      name: z.string().describe("As it was then."),
    }),
    action: z.enum(Object.keys(ACTIONS) as [Action, ...Action[]]),
    subject: z.object({
      type: z.enum(SUBJECTS),
      id: z.string().nullable().describe("Null for several subjects, and one without an id."),
    }),
  })
  .meta({ id: "ActivityLine" });

export const activityAnswerSchema = z.object({
  success: z.literal(true),
  data: z.array(lineSchema),
  nextCursor: z.string().nullable().describe("Null on the last page."),
});

export const toLine = ({
  id,
  at,
  actorKind,
  actorId,
  actorName,
  action,
  subjectKind,
  subjectId,
}: Line): z.infer<typeof lineSchema> => ({
  id,
  at: at.toISOString(),
  actor: { type: actorKind, id: actorId, name: actorName },
  action,
  subject: { type: subjectKind, id: subjectId },
});
