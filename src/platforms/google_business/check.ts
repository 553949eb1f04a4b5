import type { FieldError } from "../../core/errors.ts";
import { HOUR } from "../../core/time.ts";
import type { Post, PostMedia, Target } from "../connector.ts";
import { checksFor, ofKind, refuseIf } from "../kit/checks.ts";
import { capabilities, MIN_IMAGE_BYTES, MIN_IMAGE_EDGE, READABLE_IMAGES } from "./capabilities.ts";
import { endOf, hasDates, startOf, summaryOf, titleOf, topicOf } from "./local-post.ts";
import type { GoogleBusinessSettings } from "./settings.ts";

type GoogleBusinessPost = Post<GoogleBusinessSettings>;

const { limits, mediaSupport } = capabilities;
const checks = checksFor("Google Business", capabilities);

/** Other rows of digits may be dates, prices or numbers of orders. */
const SURE_PHONE_NUMBER = /\+\d[\d ()./-]{6,18}\d/;

function checkText(post: GoogleBusinessPost): FieldError[] {
  const field = "description";
  const text = summaryOf(post);
  if (text === "") {
    return [{ field, message: "Write a description: a post on Google Business needs text." }];
  }
  return [
    ...checks.length(field, "the description", { count: text.length, max: limits.postCharacters }),
    ...refuseIf(
      SURE_PHONE_NUMBER.test(text),
      field,
      "Take the phone number out of the description: Google rejects posts with one. Set google_business_action to call instead.",
    ),
  ];
}

/** The least time zone is 12 hours behind UTC. */
const LAST_ZONE_MS = 12 * HOUR;

function checkDates(
  { settings, ...post }: GoogleBusinessPost,
  { now, at = now }: Target,
): FieldError[] {
  const { google_business_event_start: start, google_business_event_end: end } = settings;
  const topic = settings.google_business_topic;
  if (!hasDates(settings)) {
    return [
      ...refuseIf(
        start !== null,
        "google_business_event_start",
        "google_business_event_start is for an event or an offer: set google_business_topic.",
      ),
      ...refuseIf(
        end !== null,
        "google_business_event_end",
        "google_business_event_end is for an event or an offer: set google_business_topic.",
      ),
    ];
  }
  const title = titleOf(post);
  const needed = (field: string, value: string | null) =>
    refuseIf(value === null, field, `Set ${field}: an ${topic} on Google Business needs it.`);
  const endMs = end === null ? Number.NaN : Date.parse(`${endOf(end)}Z`);
  return [
    ...refuseIf(title === "", "title", `Write a title: an ${topic} on Google Business needs one.`),
    ...checks.length("title", "the title", { count: title.length, max: limits.titleCharacters }),
    ...needed("google_business_event_start", start),
    ...needed("google_business_event_end", end),
    ...refuseIf(
      start !== null && endMs <= Date.parse(`${startOf(start)}Z`),
      "google_business_event_end",
      "google_business_event_end must be later than google_business_event_start.",
    ),
    ...refuseIf(
      endMs + LAST_ZONE_MS < at.getTime(),
      "google_business_event_end",
      `google_business_event_end is over by the time of the post: Google takes no past ${topic}.`,
    ),
  ];
}

const OFFER_FIELDS = [
  "google_business_coupon_code",
  "google_business_redeem_url",
  "google_business_terms",
] as const;

const checkOffer = ({ settings }: GoogleBusinessPost): FieldError[] =>
  topicOf(settings) === "OFFER"
    ? []
    : OFFER_FIELDS.flatMap((field) =>
        refuseIf(
          settings[field] !== null,
          field,
          `${field} is for an offer: set google_business_topic to offer.`,
        ),
      );

function checkAction({ settings }: GoogleBusinessPost): FieldError[] {
  const { google_business_action: action, google_business_action_url: url } = settings;
  const field = "google_business_action_url";
  if (action === null) {
    return refuseIf(url !== null, field, `${field} needs google_business_action, such as shop.`);
  }
  if (topicOf(settings) === "OFFER") {
    const message =
      "An offer on Google Business has a button of its own; use google_business_redeem_url.";
    return [{ field: "google_business_action", message }];
  }
  if (action === "call") {
    return refuseIf(
      url !== null,
      field,
      `The button call dials the number of the profile; leave ${field} out.`,
    );
  }
  return refuseIf(url === null, field, `Set ${field}: the button ${action} leads there.`);
}

function checkImage(item: PostMedia): FieldError[] {
  const field = "photo";
  const { mime, sizeBytes, width, height } = item;
  const edge = Math.min(width ?? Number.POSITIVE_INFINITY, height ?? Number.POSITIVE_INFINITY);
  const isSentAsItIs = mime !== null && READABLE_IMAGES.includes(mime);
  return [
    ...checks.file(item, { field, name: "The image" }),
    ...refuseIf(
      edge < MIN_IMAGE_EDGE,
      field,
      `The image is ${width} x ${height}; Google Business takes images whose shorter side has ${MIN_IMAGE_EDGE} pixels or more.`,
    ),
    ...refuseIf(
      isSentAsItIs && sizeBytes !== null && sizeBytes < MIN_IMAGE_BYTES,
      field,
      `The image has ${sizeBytes} bytes; Google Business takes images of 10,240 bytes or more.`,
    ),
  ];
}

function checkMedia({ media }: GoogleBusinessPost): FieldError[] {
  const videos = ofKind(media, "video").length;
  if (videos > 0) {
    const message = "Google Business takes no videos in posts; send an image.";
    return [{ field: "video", message }];
  }
  return [
    ...checks.noDocuments(media, "send an image"),
    ...checks.count("photo", media.length, mediaSupport.maxCount, "image"),
    ...ofKind(media, "image").flatMap(checkImage),
  ];
}

export const check = (post: GoogleBusinessPost, target: Target): FieldError[] => [
  ...checkText(post),
  ...checkDates(post, target),
  ...checkOffer(post),
  ...checkAction(post),
  ...checkMedia(post),
];
