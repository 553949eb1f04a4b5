import { mastodon } from "../../../src/platforms/mastodon/index.ts";
import { image, type PostChange } from "../../support/network.ts";
import { publish, testTexts } from "../sent-texts.ts";
import { job, json, post, scriptedFetch, status } from "./scripted.ts";

async function send(change: PostChange) {
  const { fetch, calls } = scriptedFetch({
    "POST /api/v2/media": (change.media ?? []).map((_, index) => json({ id: `${index + 1}` })),
    "POST /api/v1/statuses": [json(status())],
  });
  await publish(mastodon, job(fetch, { post: change }));
  const { status: text = "", poll } = calls.at(-1)?.json ?? {};
  const altTexts = calls.slice(0, -1).map(({ parts }) => parts.description ?? "");
  return { heading: null, text, poll: poll?.options ?? [], altTexts };
}

const media = [image(), image()];
const mastodon_poll_options = "Yes,No";

testTexts(
  mastodon,
  [
    ["a text", { title: "T" }, { heading: null, text: "Hello, world", poll: [], altTexts: [] }],
    [
      "a title alone",
      { title: "T", description: " " },
      { heading: null, text: "T", poll: [], altTexts: [] },
    ],
    [
      "a poll",
      { settings: { mastodon_poll_options } },
      { heading: null, text: "Hello, world", poll: ["Yes", "No"], altTexts: [] },
    ],
    [
      "images without words",
      { media, description: null },
      { heading: null, text: "", poll: [], altTexts: ["", ""] },
    ],
    [
      "images of which one is described",
      { media: [image({ altText: "A pier" }), image()] },
      { heading: null, text: "Hello, world", poll: [], altTexts: ["A pier", ""] },
    ],
  ],
  { toPost: post, send },
);
