import { expect, test } from "vitest";
import { describeSettings, likeness } from "../../../src/platforms/google_business/likeness.ts";
import { post } from "./scripted.ts";

const OFFER = {
  google_business_topic: "offer",
  google_business_event_start: "2026-12-02",
  google_business_event_end: "2026-12-24T22:30",
  google_business_coupon_code: "HALF",
  google_business_terms: "One each.",
  google_business_language: "de",
};

test("shows the title of an offer, and not that of a plain post", () => {
  expect(likeness(post({ title: "Half price", settings: OFFER }))).toMatchObject({
    heading: "Half price",
    text: "Look",
    unpublished: [],
  });
  expect(likeness(post({ title: "Team" }))).toMatchObject({
    heading: null,
    unpublished: [{ text: "Team" }],
  });
});

test("says the settings in words, and nothing of a plain post", () => {
  expect(describeSettings(post())).toEqual([]);
  expect(
    describeSettings(post({ settings: OFFER })).map(({ label, value }) => [label, value]),
  ).toEqual([
    ["Kind of post", "Offer"],
    ["Starts", "2026-12-02"],
    ["Ends", "2026-12-24 22:30"],
    ["Code of the offer", "HALF"],
    ["Terms of the offer", "One each."],
    ["Language", "German"],
  ]);
});
