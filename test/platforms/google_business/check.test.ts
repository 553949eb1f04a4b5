import { expect, test } from "vitest";
import { check } from "../../../src/platforms/google_business/check.ts";
import { settings } from "../../../src/platforms/google_business/settings.ts";
import { type JobChange, video } from "../../support/network.ts";
import { image, NOW, post } from "./scripted.ts";

const EVENT = {
  google_business_topic: "event",
  google_business_event_start: "2026-12-02",
  google_business_event_end: "2026-12-02",
};

test.each<[string, JobChange]>([
  ["a text", {}],
  ["a text of 1,500 characters", { description: "x".repeat(1_500) }],
  ["a title, which is for the team", { title: "x".repeat(200) }],
  ["a photo", { media: [image({ width: 250, height: 250, sizeBytes: 10_240 })] }],
  ["a WebP image, which is converted", { media: [image({ mime: "image/webp", sizeBytes: 900 })] }],
  [
    "dates, prices and long numbers",
    { description: "2026-12-24 10:00 - 22:00, order 12345678901, 10.000,00 €" },
  ],
  ["an event of one day", { title: "x".repeat(58), settings: EVENT }],
  [
    "an event that ends today somewhere",
    {
      title: "A",
      settings: {
        ...EVENT,
        google_business_event_start: "2026-11-29",
        google_business_event_end: "2026-11-30T22:00",
      },
    },
  ],
  [
    "an offer",
    {
      title: "A",
      settings: {
        ...EVENT,
        google_business_topic: "offer",
        google_business_coupon_code: "A",
        google_business_terms: "B",
        google_business_redeem_url: "https://example.com",
      },
    },
  ],
  [
    "a button",
    {
      settings: {
        google_business_action: "sign_up",
        google_business_action_url: "https://example.com",
      },
    },
  ],
  ["a button that calls", { settings: { google_business_action: "call" } }],
])("takes %s", (_, change) => {
  expect(check(post(change), { now: NOW })).toEqual([]);
});

test("takes what is not known yet, because it is behind a URL", () => {
  const unknown = { ...image(), mime: null, sizeBytes: null, width: null, height: null };
  expect(check({ ...post(), media: [unknown] }, { now: NOW })).toEqual([]);
});

test.each<[string, JobChange, string, RegExp]>([
  ["no text", { description: " " }, "description", /needs text/],
  [
    "1,501 characters",
    { description: "x".repeat(1_501) },
    "description",
    /1,500 characters, it has 1,501/,
  ],
  [
    "a phone number",
    { description: "Call +49 (0)30 123456" },
    "description",
    /phone number.*google_business_action to call/,
  ],
  ["an event without title", { settings: EVENT }, "title", /Write a title: an event/],
  ["a title of 59", { title: "x".repeat(59), settings: EVENT }, "title", /58 characters/],
  [
    "an end before the start",
    { title: "A", settings: { ...EVENT, google_business_event_end: "2026-12-01" } },
    "google_business_event_end",
    /later than/,
  ],
  [
    "an event that is over",
    {
      title: "A",
      settings: {
        ...EVENT,
        google_business_event_start: "2026-11-01",
        google_business_event_end: "2026-11-30T20:00",
      },
    },
    "google_business_event_end",
    /no past event/,
  ],
  [
    "dates of no event",
    { settings: { google_business_event_start: "2026-12-02" } },
    "google_business_event_start",
    /set google_business_topic/,
  ],
  [
    "a code of no offer",
    { settings: { google_business_coupon_code: "A" } },
    "google_business_coupon_code",
    /topic to offer/,
  ],
  [
    "an address without a button",
    { settings: { google_business_action_url: "https://example.com" } },
    "google_business_action_url",
    /needs google_business_action/,
  ],
  [
    "a button without an address",
    { settings: { google_business_action: "learn_more" } },
    "google_business_action_url",
    /learn_more leads there/,
  ],
  [
    "a call with an address",
    {
      settings: {
        google_business_action: "call",
        google_business_action_url: "https://example.com",
      },
    },
    "google_business_action_url",
    /leave .* out/,
  ],
  [
    "an offer with a button",
    {
      title: "A",
      settings: { ...EVENT, google_business_topic: "offer", google_business_action: "call" },
    },
    "google_business_action",
    /button of its own/,
  ],
  ["two photos", { media: [image(), image()] }, "photo", /takes one image; 2/],
  ["a video", { media: [video()] }, "video", /no videos/],
  ["a narrow photo", { media: [image({ width: 249 })] }, "photo", /249 x 1080.*250 pixels/],
  ["a light photo", { media: [image({ sizeBytes: 10_239 })] }, "photo", /10239 bytes.*10,240/],
  ["a heavy photo", { media: [image({ sizeBytes: 5_000_001 })] }, "photo", /5,000,000/],
])("refuses %s", (_, change, field, message) => {
  expect(check(post(change), { now: NOW })).toEqual([
    { field, message: expect.stringMatching(message) },
  ]);
});

const START = "google_business_event_start";

test.each([
  ["2026-12-01", "2026-12-01"],
  ["2026-12-01T09:00", "2026-12-01T09:00:00"],
  ["2026-12-01 09:00:30", "2026-12-01T09:00:30"],
])("reads the local time %s", (sent, stored) => {
  expect(settings.read({ [START]: sent }).values[START]).toBe(stored);
});

test.each(["2026-02-30", "2026-12-01T24:30", "2026-12-01T09:00Z", "1.12.2026", "2026-12-01T09"])(
  "refuses the local time %s",
  (sent) => {
    expect(settings.read({ [START]: sent }).errors).toMatchObject([{ field: START }]);
  },
);
