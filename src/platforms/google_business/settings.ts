import {
  anyText,
  choice,
  field,
  formFields,
  languageTag,
  otherwise,
  publicUrl,
  type SettingsOf,
  shown,
  single,
} from "../kit/form-fields.ts";

const TOPICS = ["standard", "event", "offer"] as const;
const ACTIONS = ["book", "order", "shop", "learn_more", "sign_up", "call"] as const;

const LOCAL_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2}))?)?$/;

/** Null for a date that does not exist. */
function readLocalTime(text: string): string | null {
  const [, day, minutes, seconds = "00"] = LOCAL_TIME.exec(text) ?? [];
  if (day === undefined) return null;
  const whole = `${day}T${minutes ?? "00:00"}:${seconds}`;
  const at = new Date(`${whole}Z`);
  if (Number.isNaN(at.getTime()) || !at.toISOString().startsWith(whole)) return null;
  return minutes === undefined ? day : whole;
}

const localTime = single(
  (text, refuse): string =>
    readLocalTime(text) ??
    refuse(
      `must be a day such as 2026-12-01, or a time by the business's clock such as 2026-12-01T09:00, without an offset; ${shown(text)} was sent.`,
    ),
);

export const settings = formFields({
  google_business_topic: field(otherwise(choice(TOPICS), "standard"), {
    label: "Kind of post",
    type: "string",
    values: TOPICS,
    description:
      "The kind of post. An event and an offer need a title, google_business_event_start and google_business_event_end. Default: standard.",
  }),
  google_business_action: field(choice(ACTIONS), {
    label: "Button",
    type: "string",
    values: ACTIONS,
    description:
      "The button below the post. All but call need google_business_action_url; call dials the number of the profile. Not for an offer.",
  }),
  google_business_action_url: field(publicUrl(), {
    label: "Where the button leads",
    type: "string",
    description: "Where the button leads.",
  }),
  google_business_event_start: field(localTime, {
    label: "When the event or offer starts",
    type: "string",
    description:
      "When the event or offer starts, by the business's own clock: a day such as 2026-12-01, or a time such as 2026-12-01T09:00. A day alone starts at midnight.",
  }),
  google_business_event_end: field(localTime, {
    label: "When the event or offer ends",
    type: "string",
    description:
      "When the event or offer ends, in the same form. A day alone ends one minute before midnight.",
  }),
  google_business_coupon_code: field(anyText, {
    label: "Code of the offer",
    type: "string",
    description: "The code of an offer.",
  }),
  google_business_redeem_url: field(publicUrl(), {
    label: "Where the offer is redeemed",
    type: "string",
    description: "Where an offer is redeemed online.",
  }),
  google_business_terms: field(anyText, {
    label: "Terms of the offer",
    type: "string",
    description: "The terms of an offer.",
  }),
  google_business_language: field(languageTag, {
    label: "Language of the text",
    type: "string",
    description: "The language of the text, as a BCP-47 tag. Google translates nothing.",
  }),
});

export type GoogleBusinessSettings = SettingsOf<typeof settings>;
