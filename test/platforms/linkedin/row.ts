import { expect } from "vitest";
import { digitsOf } from "../../../src/sandbox/kit/logins.ts";
import type { Fields } from "../../support/harness.ts";
import { jpeg, mp4, png, videoOf } from "../../support/stage.ts";
import { shortMp4 } from "../../support/videos.ts";
import type { Arrival, Row } from "../row.ts";

const pdf = () => new Blob(["%PDF-1.4 a document of one line"], { type: "application/pdf" });

export const POST = "POST posts";
const LOOK = "GET posts";
export const PUT = "PUT upload";

/** The first page of a sandbox member. */
export const pageOf = (name: string) => digitsOf("linkedin", `${name} Works`, 9);

const photos = (author: RegExp): Arrival[] => [
  {
    what: "a photo",
    fields: () => ({ photo: jpeg(), description: "One" }),
    feed: { fields: { author: expect.stringMatching(author), content: { media: {} } } },
  },
  {
    what: "photos in their order",
    fields: () => ({ photo: [png(), jpeg()], description: "Two" }),
    feed: {
      fields: {
        author: expect.stringMatching(author),
        content: { multiImage: { images: [{}, {}] } },
      },
    },
  },
  {
    what: "a document goes out whole",
    fields: () => ({
      photo: pdf(),
      description: "**Read** this\nnow",
      media_type: "DOCUMENT",
    }),
    feed: { fields: { content: { media: { title: "Read this" } } } },
  },
];

const common = {
  platform: "linkedin",
  media: "photo",
  address: /^https:\/\/www\.linkedin\.com\/feed\/update\/urn:li:(?:share|ugcPost):\d{19}\/$/,
  refresh: "POST /oauth/v2/accessToken",
  nameOf: ({ request, url }) => {
    const { pathname, searchParams } = url;
    const path = pathname.startsWith("/dms-uploads/") ? "upload" : pathname.replace("/rest/", "");
    const action = searchParams.get("action") ?? "";
    return [request.method, path.replace(/\/urn.+$/, "/urn"), action].join(" ").trim();
  },
} satisfies Partial<Row>;

/** A person's posts cannot be listed. */
export const linkedin: Row = {
  ...common,
  kinds: {
    text: {
      fields: (description) => ({ description }),
      submit: POST,
      calls: { lost_reply: { [LOOK]: 0 }, killed: { [POST]: 1, [LOOK]: 0 } },
      undecided: ["lost_reply", "5xx=2", "killed"],
      slow: { seconds: 1 },
    },
    photo: {
      fields: (description) => ({ description, photo: jpeg() }),
      submit: POST,
      calls: { token_expired: { [PUT]: 1 } },
      undecided: ["lost_reply", "5xx=2", "killed"],
    },
  },
  arrivals: [
    {
      what: "a text goes out with every field, styled and whole",
      fields: () => ({
        description: "**New** (really): *C#* & #tag_one\n* 50% {off} | a_b@c.d ~ <x> \\ [1]",
        title: "Label",
        visibility: "CONNECTIONS",
      }),
      calls: [POST],
      feed: {
        text: "𝗡𝗲𝘄 (really): 𝘊# & #tag_one\n* 50% {off} | a_b@c.d ~ <x> \\ [1]",
        fields: { visibility: "CONNECTIONS", lifecycleState: "PUBLISHED" },
      },
    },
    ...photos(/^urn:li:person:/),
  ],
  refused: [
    ["no text", () => ({}), ["description"]],
    ["3,001 characters", () => ({ description: "x".repeat(3_001) }), ["description"]],
    ["a document without a text", () => ({ photo: pdf() }), ["description"]],
    [
      "1,501 parentheses, which are sent with a backslash each",
      () => ({ description: "(".repeat(1_501) }),
      ["description"],
    ],
    ["a title of 401", () => ({ description: "Hi", title: "x".repeat(401) }), ["title"]],
    ["another visibility", () => ({ description: "Hi", visibility: "FRIENDS" }), ["visibility"]],
    [
      "a photo called a document",
      () => ({ photo: jpeg(), media_type: "DOCUMENT" }),
      ["media_type"],
    ],
    ["a small video", () => ({ video: mp4() }), ["video"]],
    ["a photo beside a video", () => ({ video: videoOf(80_000), photo: jpeg() }), ["video"]],
  ],
  unsendable: [
    [
      "a video that is too short",
      (): Fields => ({ video: videoOf(80_000, shortMp4) }),
      /3 seconds/,
    ],
  ],
};

/** A page's posts can be listed. */
export const linkedinPage: Row = {
  ...common,
  as: "linkedin page",
  pageOf,
  measured: { hasOthers: true, instantMs: 1, hasViews: true, counts: "likes" },
  kinds: {
    text: {
      fields: (text) => ({ description: `**On** ${text}` }),
      submit: POST,
      calls: { lost_reply: { [LOOK]: 1 }, killed: { [POST]: 1, [LOOK]: 1 } },
    },
    photo: {
      fields: (description) => ({ description, photo: jpeg() }),
      submit: POST,
      calls: { "5xx=2": { [POST]: 3, [PUT]: 1 }, token_expired: { [PUT]: 1 } },
    },
  },
  arrivals: photos(/^urn:li:organization:\d+$/),
  refused: [
    [
      "a post for connections",
      () => ({ description: "Hi", visibility: "CONNECTIONS" }),
      ["visibility"],
    ],
  ],
  unsendable: [],
};
