import { jpeg, mp4, png, videoOf } from "../../support/stage.ts";
import type { Row } from "../row.ts";

const PUT = "putRecord";

export const bluesky: Row = {
  platform: "bluesky",
  address: /^https:\/\/bsky\.app\/profile\/[^/]+\/post\/\w+$/,
  refresh: "refreshSession",
  nameOf: ({ url }) => {
    const method = url.pathname.split(".").at(-1) ?? "";
    const part = url.searchParams.get("partNumber");
    return part ? `${method} ${part}` : method;
  },
  media: "photo",
  measured: { hasOthers: true, instantMs: 1, hasViews: false, counts: "likes" },
  kinds: {
    text: { fields: (description) => ({ description }), submit: PUT },
    images: { fields: (description) => ({ description, photo: [jpeg(), png()] }), submit: PUT },
    video: { fields: (description) => ({ description, video: videoOf(100_000) }), submit: PUT },
  },
  arrivals: [
    {
      what: "a text, with its tags and links",
      fields: () => ({ description: "Hello from Akimbo #first https://example.com" }),
      calls: [PUT],
      feed: { text: "Hello from Akimbo #first https://example.com" },
    },
    {
      // More than two of the simulator's 5 MiB parts.
      what: "a video goes out in parts, is waited for, and stands in the feed byte for byte",
      fields: () => ({
        description: "Look",
        video: videoOf(12_000_000),
        bluesky_alt_text: "A fox at night",
      }),
      calls: { "uploadPart 1": 1, "uploadPart 2": 1, "uploadPart 3": 1, [PUT]: 1 },
      feed: {
        text: "Look",
        fields: { embed: { $type: "app.bsky.embed.video", alt: "A fox at night" } },
      },
    },
  ],
  refused: [
    [
      "an image beside the video",
      () => ({ description: "Look", video: mp4(), photo: jpeg() }),
      ["video"],
    ],
    [
      "two alt texts",
      () => ({
        description: "Look",
        video: mp4(),
        bluesky_alt_text: ["one", "two"],
      }),
      ["bluesky_alt_text"],
    ],
  ],
  unsendable: [],
};
