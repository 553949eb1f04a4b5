import type { SimulatedCall } from "../../../src/sandbox/kit/state-call.ts";
import { jpeg, mp4, png } from "../../support/stage.ts";
import type { Arrival, Row } from "../row.ts";

const nameOf = ({ request, url }: SimulatedCall): string => {
  const path = url.pathname.replace("/api/v10", "").replace(/\d{17,}(?:\/[\w-]{30,})?/g, "ID");
  return `${request.method} ${path}`;
};

const LOOK = "GET /channels/ID/messages";
const ADDRESS = /^https:\/\/discord\.com\/channels\/\d+\/\d+\/\d+$/;

const FORMATTED = "**News** for <@123456789012345678>: https://example.com";

const arrivals = (submit: string): Arrival[] => [
  {
    what: "a text, whose mentions notify nobody",
    fields: () => ({ description: FORMATTED }),
    feed: {
      text: FORMATTED,
      fields: { content: FORMATTED, allowed_mentions: { parse: [] } },
    },
  },
  {
    what: "a silent text that may notify, without previews",
    fields: () => ({
      description: "@everyone Look",
      discord_mentions: "everyone, roles",
      discord_silent: "true",
      discord_suppress_embeds: "true",
    }),
    feed: { fields: { allowed_mentions: { parse: ["everyone", "roles"] }, flags: 4_100 } },
  },
  {
    what: "two images with their descriptions, in one call",
    fields: () => ({
      description: "Look",
      photo: [jpeg(), png()],
      alt_text: ["A fox", "A hen"],
    }),
    calls: { [submit]: 1 },
    feed: {
      text: "Look",
      fields: {
        attachments: [
          { id: 0, filename: "file-1.jpg", description: "A fox" },
          { id: 1, filename: "file-2.png", description: "A hen" },
        ],
      },
    },
  },
  {
    what: "a video beside an image, without a text",
    fields: () => ({ photo: jpeg(), video: mp4() }),
    calls: { [submit]: 1 },
    feed: { text: "" },
    media: [{ mime: "image/jpeg" }, { mime: "video/mp4" }],
  },
];

const refused: Row["refused"] = [
  ["nothing at all", () => ({}), ["description"]],
  ["2,001 characters", () => ({ description: "x".repeat(2_001) }), ["description"]],
  ["eleven files", () => ({ photo: Array.from({ length: 11 }, jpeg) }), ["photo"]],
  [
    "a tag for a thread that is there",
    () => ({ description: "A", discord_thread_id: "1", discord_tags: "2" }),
    ["discord_tags"],
  ],
  ["an odd tag", () => ({ description: "A", discord_tags: "news" }), ["discord_tags"]],
  ["an unknown field", () => ({ description: "A", discord_shout: "1" }), ["discord_shout"]],
];

const common: Pick<Row, "platform" | "address" | "nameOf" | "refresh" | "media"> = {
  platform: "discord",
  address: ADDRESS,
  nameOf,
  refresh: null,
  media: "photo",
};

const EXECUTE = "POST /webhooks/ID";
const CREATE = "POST /channels/ID/messages";

export const discord: Row = {
  ...common,
  kinds: {
    text: {
      fields: (description) => ({ description }),
      submit: EXECUTE,
      undecided: ["lost_reply", "5xx=2", "killed"],
    },
    images: {
      fields: (description) => ({ description, photo: [jpeg(), png()] }),
      submit: EXECUTE,
      undecided: ["lost_reply", "5xx=2", "killed"],
    },
  },
  arrivals: [
    ...arrivals(EXECUTE),
    {
      what: "a text for a forum, which is said to be one by the first answer",
      person: "Forum",
      fields: () => ({ title: "Our news", description: "Hello" }),
      calls: [EXECUTE, EXECUTE],
      feed: { fields: { thread_name: "Our news" } },
    },
  ],
  refused,
  unsendable: [],
};

export const discordBot: Row = {
  ...common,
  as: "discord, a bot",
  person: "Bot Ada",
  // A webhook is told neither followers nor reactions in a list.
  measured: { hasOthers: false, instantMs: 1, hasViews: false, counts: "likes" },
  kinds: {
    text: {
      fields: (description) => ({ description }),
      submit: CREATE,
      calls: { "5xx=2": { [CREATE]: 3 }, lost_reply: { [LOOK]: 1 } },
    },
    images: {
      fields: (description) => ({ description, photo: [jpeg(), png()] }),
      submit: CREATE,
    },
  },
  arrivals: [
    ...arrivals(CREATE),
    {
      what: "a text for a forum",
      person: "Bot Forum",
      fields: () => ({ title: "Our news", description: "Hello" }),
      calls: ["POST /channels/ID/threads"],
      feed: { text: "Hello", fields: { name: "Our news", content: "Hello" } },
    },
  ],
  refused,
  unsendable: [],
};
