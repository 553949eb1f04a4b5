import { createGradientPng } from "../../../src/cli/png.ts";
import { jpeg, mp4 } from "../../support/stage.ts";
import type { Row } from "../row.ts";

let pictures = 0;

/** Google takes photos of 250 pixels and 10,240 bytes or more. No two are the same file. */
export function picture(): Blob {
  const bytes = createGradientPng({
    width: 320,
    height: 280,
    from: [58, 70, 214],
    to: [240, 200, 9],
  });
  return new Blob([bytes, `number ${++pictures}`], { type: "image/png" });
}

export const POSTS = "POST localPosts";
const LIST = "GET localPosts";
const READ = "GET post";

const EVENT = {
  title: "Late opening",
  google_business_topic: "event",
  google_business_event_start: "2026-12-24",
  google_business_event_end: "2026-12-24T22:30",
};

const made = { "5xx=2": { [POSTS]: 3, [LIST]: 2 } };

export const googleBusiness: Row = {
  platform: "google_business",
  address: /^https:\/\/local\.google\.com\/place\?id=\d+&use=posts&lpsid=\d+$/,
  refresh: "POST token",
  nameOf: ({ request: { method }, url: { pathname } }) =>
    `${method} ${/localPosts\/\d+$/.test(pathname) ? "post" : pathname.split("/").at(-1)}`,
  usual: () => ({ description: "Look" }),
  media: "photo",
  photo: picture,
  kinds: {
    text: {
      fields: (description) => ({ description }),
      submit: POSTS,
      calls: made,
      slow: { seconds: 100, asks: [READ, 3] },
    },
    photo: {
      fields: (description) => ({ description, photo: picture() }),
      submit: POSTS,
      calls: made,
      slow: { seconds: 100, asks: [READ, 3] },
    },
    event: {
      fields: (description) => ({ ...EVENT, description }),
      submit: POSTS,
      calls: made,
    },
  },
  arrivals: [
    {
      what: "a text goes out alone, without its title, and its review is followed",
      fields: () => ({ title: "For the team", description: "Only words, 東京 and 😀" }),
      calls: [POSTS, READ],
      feed: {
        text: "Only words, 東京 and 😀",
        fields: { summary: "Only words, 東京 and 😀", topicType: "STANDARD" },
      },
    },
    {
      what: "a photo is pulled from us, with a button and a language",
      fields: () => ({
        description: "Fresh bread",
        photo: picture(),
        google_business_action: "shop",
        google_business_action_url: "https://example.com/shop?a=1",
        google_business_language: "EN-us",
      }),
      feed: {
        text: "Fresh bread",
        fields: {
          languageCode: "en-US",
          topicType: "STANDARD",
          callToAction: { actionType: "SHOP", url: "https://example.com/shop?a=1" },
          media: [{ mediaFormat: "PHOTO" }],
        },
      },
    },
    {
      what: "an event has its title and all four fields of its interval",
      fields: () => ({ ...EVENT, description: "Open late", google_business_action: "call" }),
      feed: {
        text: "Late opening\nOpen late",
        fields: {
          topicType: "EVENT",
          callToAction: { actionType: "CALL" },
          event: {
            title: "Late opening",
            schedule: {
              startDate: { year: 2026, month: 12, day: 24 },
              startTime: { hours: 0, minutes: 0, seconds: 0, nanos: 0 },
              endDate: { year: 2026, month: 12, day: 24 },
              endTime: { hours: 22, minutes: 30, seconds: 0, nanos: 0 },
            },
          },
        },
      },
    },
    {
      what: "an offer has its dates, its code and its terms",
      fields: () => ({
        ...EVENT,
        description: "Half price",
        google_business_topic: "Offer",
        google_business_event_end: "2026-12-31",
        google_business_coupon_code: "HALF",
        google_business_redeem_url: "https://example.com/half",
        google_business_terms: "One per person.",
      }),
      feed: {
        fields: {
          topicType: "OFFER",
          event: { schedule: { endTime: { hours: 23, minutes: 59, seconds: 0, nanos: 0 } } },
          offer: {
            couponCode: "HALF",
            redeemOnlineUrl: "https://example.com/half",
            termsConditions: "One per person.",
          },
        },
      },
    },
  ],
  refused: [
    ["a photo without text", () => ({ photo: picture(), description: [] }), ["description"]],
    ["1,501 characters", () => ({ description: "x".repeat(1_501) }), ["description"]],
    ["a phone number", () => ({ description: "Call +49 30 1234567" }), ["description"]],
    [
      "an event without title and dates",
      () => ({ google_business_topic: "event" }),
      ["title", "google_business_event_start", "google_business_event_end"],
    ],
    ["two photos", () => ({ photo: [picture(), picture()] }), ["photo"]],
    ["a small photo", () => ({ photo: jpeg() }), ["photo", "photo"]],
    ["a video", () => ({ video: mp4() }), ["video"]],
    [
      "a button that leads nowhere",
      () => ({ google_business_action: "book" }),
      ["google_business_action_url"],
    ],
    [
      "a time with an offset",
      () => ({ ...EVENT, google_business_event_end: "2026-12-24T22:30:00Z" }),
      ["google_business_event_end", "google_business_event_end"],
    ],
  ],
  unsendable: [],
};
