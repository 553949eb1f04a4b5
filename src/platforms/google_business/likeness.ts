import type { Post } from "../connector.ts";
import { unsentAltTexts } from "../kit/alt-texts.ts";
import { leftOut, likenessOf, TITLE_UNPUBLISHED } from "../kit/likeness.ts";
import { languages, oneOf, settingWords, text } from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import { NAME } from "./api.ts";
import { hasDates, summaryOf, titleOf } from "./local-post.ts";
import type { GoogleBusinessSettings } from "./settings.ts";

export function likeness(post: Post<GoogleBusinessSettings>): Likeness {
  const isDated = hasDates(post.settings);
  return likenessOf({
    layout: "gallery",
    heading: isDated ? titleOf(post) || null : null,
    text: summaryOf(post),
    unpublished: [
      ...(isDated ? [] : leftOut(TITLE_UNPUBLISHED, post.title, summaryOf(post))),
      ...unsentAltTexts(NAME, post),
    ],
    shownLines: 3,
  });
}

const KINDS: Record<string, string> = { event: "Event", offer: "Offer" };

const localTime = (value: unknown): string | null =>
  text(value)?.replace("T", " ").slice(0, 16) ?? null;

export const describeSettings = settingWords<GoogleBusinessSettings>({
  google_business_topic: ["Kind of post", (value) => KINDS[String(value)] ?? null],
  google_business_action: [
    "Button",
    oneOf({
      book: "Book",
      order: "Order online",
      shop: "Buy",
      learn_more: "Learn more",
      sign_up: "Sign up",
      call: "Call now",
    }),
  ],
  google_business_action_url: ["Button leads to", text],
  google_business_event_start: ["Starts", localTime],
  google_business_event_end: ["Ends", localTime],
  google_business_coupon_code: ["Code of the offer", text],
  google_business_redeem_url: ["Redeemed at", text],
  google_business_terms: ["Terms of the offer", text],
  google_business_language: ["Language", languages],
});
