import {
  choice,
  field,
  flag,
  formFields,
  otherwise,
  type SettingsOf,
  wholeNumber,
} from "../kit/form-fields.ts";

const FORMATS = ["plain", "html"] as const;
/** The topic General has the number 1, and is not named in calls. */
const TOPICS = { least: 2, max: 2_147_483_647 };

const off = (label: string, description: string) =>
  field(otherwise(flag, false), {
    label,
    type: "boolean",
    description: `${description} Default: false.`,
  });

export const settings = formFields({
  telegram_silent: off("Without a sound", "Phones show the message without a sound."),
  telegram_protect_content: off(
    "No forwarding or saving",
    "Readers can neither forward nor save the message.",
  ),
  telegram_link_preview: field(otherwise(flag, true), {
    label: "Preview of the first link",
    type: "boolean",
    description: "A message without files shows a preview of its first link. Default: true.",
  }),
  telegram_caption_above: off(
    "Text above the files",
    "The text stands above the photos or videos.",
  ),
  telegram_spoiler: off(
    "Files blurred until tapped",
    "Photos and videos are blurred until a reader taps them.",
  ),
  telegram_topic_id: field(
    wholeNumber(
      TOPICS.least,
      TOPICS.max,
      "above 1: the number of a topic; leave it out for General",
    ),
    {
      label: "Number of the topic",
      type: "integer",
      minimum: TOPICS.least,
      maximum: TOPICS.max,
      description:
        "Topic of a group with topics: the second number of the link t.me/c/1234567890/7/42 is 7. Default: General.",
    },
  ),
  telegram_format: field(otherwise(choice(FORMATS), "plain"), {
    label: "Format of the text",
    type: "string",
    values: FORMATS,
    description:
      "html: the text has Telegram's tags, such as <b>, <i>, <u>, <s>, <tg-spoiler>, <a href>, <code>, <pre> and <blockquote>, and &lt; &gt; &amp; for the signs. Default: plain.",
  }),
});

export type TelegramSettings = SettingsOf<typeof settings>;

export const partSettings = (own: TelegramSettings): TelegramSettings => ({
  ...own,
  telegram_caption_above: false,
  telegram_spoiler: false,
});
