import * as z from "zod";
import type { Call } from "../kit/simulator.ts";
import { badRequest, invalidField, readInput, refusal } from "./call.ts";

/** Source: Google, localPosts. The numbers are from dated calls by others. */
const MAX_SUMMARY = 1_500;
const MAX_EVENT_TITLE = 58;

const TOPICS = ["STANDARD", "EVENT", "OFFER", "ALERT"] as const;
const ACTIONS = ["BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "GET_OFFER", "CALL"] as const;

const date = z.strictObject({
  year: z.int().min(1).max(9_999),
  month: z.int().min(1).max(12),
  day: z.int().min(1).max(31),
});

const timeOfDay = z.strictObject({
  hours: z.int().min(0).max(24).optional(),
  minutes: z.int().min(0).max(59).optional(),
  seconds: z.int().min(0).max(60).optional(),
  nanos: z.int().optional(),
});

const schedule = z.strictObject({
  startDate: date.optional(),
  startTime: timeOfDay.optional(),
  endDate: date.optional(),
  endTime: timeOfDay.optional(),
});

const localPost = z.strictObject({
  languageCode: z.string().optional(),
  summary: z.string().optional(),
  topicType: z.enum(TOPICS).optional(),
  callToAction: z
    .strictObject({ actionType: z.enum(ACTIONS), url: z.string().optional() })
    .optional(),
  event: z.strictObject({ title: z.string().optional(), schedule: schedule.optional() }).optional(),
  offer: z
    .strictObject({
      couponCode: z.string().optional(),
      redeemOnlineUrl: z.string().optional(),
      termsConditions: z.string().optional(),
    })
    .optional(),
  media: z
    .array(
      z.strictObject({
        mediaFormat: z.enum(["PHOTO", "VIDEO"]),
        sourceUrl: z.string().optional(),
      }),
    )
    .optional(),
});

export type LocalPost = z.output<typeof localPost>;
type Schedule = z.output<typeof schedule>;

const atMost = (field: string, text: string | undefined, max: number): void => {
  if ((text?.length ?? 0) > max) throw invalidField(field, `Must be at most ${max} characters`);
};

const momentOf = (day: NonNullable<Schedule["startDate"]>, time: Schedule["startTime"]): number =>
  Date.UTC(day.year, day.month - 1, day.day, time?.hours ?? 0, time?.minutes ?? 0);

/** An event and an offer need all fields of the interval. */
function checkEvent({ topicType, event }: LocalPost): void {
  if (topicType !== "EVENT" && topicType !== "OFFER") {
    if (event) throw invalidField("event", "Event is not supported for this topic type.");
    return;
  }
  if (!event?.title) throw invalidField("event.title", "Title is required.");
  atMost("event.title", event.title, MAX_EVENT_TITLE);
  const { startDate, startTime, endDate, endTime } = event.schedule ?? {};
  if (!startDate || !startTime || !endDate || !endTime) {
    throw invalidField("event.schedule", "The schedule must contain all fields to be valid.");
  }
  if (momentOf(endDate, endTime) <= momentOf(startDate, startTime)) {
    throw invalidField("event.schedule", "The range provided is inverted.");
  }
}

function checkAction({ topicType, callToAction }: LocalPost): void {
  if (!callToAction) return;
  const { actionType, url } = callToAction;
  if (topicType === "OFFER") {
    throw invalidField("call_to_action", "Call to action is not supported for this topic type.");
  }
  if (actionType === "CALL" && url !== undefined) {
    throw invalidField("call_to_action.url", "URL must be unset for CALL.");
  }
  if (actionType !== "CALL" && !URL.canParse(url ?? "")) {
    throw invalidField("call_to_action.url", "A valid URL is required.");
  }
}

function checkMedia({ media = [] }: LocalPost): void {
  // Google has no words for it.
  if (media.some(({ mediaFormat }) => mediaFormat === "VIDEO")) {
    throw refusal(500, "Internal error encountered.");
  }
  if (media.some(({ sourceUrl }) => sourceUrl === undefined)) {
    throw invalidField("media.source_url", "A source URL is required.");
  }
}

function check(post: LocalPost): void {
  if (post.topicType === undefined) {
    throw invalidField("topic_type", "Topic type is required for post creation.");
  }
  atMost("summary", post.summary, MAX_SUMMARY);
  checkEvent(post);
  checkAction(post);
  if (post.offer && post.topicType !== "OFFER") {
    throw invalidField("offer", "Offer is not supported for this topic type.");
  }
  checkMedia(post);
}

export async function readPost(call: Call): Promise<LocalPost> {
  const post = await readInput(call, localPost);
  check(post);
  return post;
}

const CHANGEABLE = ["summary", "callToAction", "event", "offer", "languageCode"] as const;

/** Source: Google, localPosts, "patch". */
export async function readChanged(call: Call, before: LocalPost): Promise<LocalPost> {
  const mask = (call.req.query("updateMask") ?? "").split(",").filter(Boolean);
  if (mask.length === 0) throw badRequest("update_mask", "Update mask is required.");
  const fields = CHANGEABLE.filter((field) => mask.includes(field));
  if (fields.length < mask.length) throw badRequest("update_mask", "Invalid field mask provided");
  const sent = await readInput(call, localPost);
  const changed = {
    ...before,
    ...Object.fromEntries(fields.map((field) => [field, sent[field]])),
  };
  check(changed);
  return changed;
}
