import { bluesky } from "../../../src/platforms/bluesky/index.ts";
import type { PostChange } from "../../support/network.ts";
import { publish, testTexts } from "../sent-texts.ts";
import { image, job, json, post, scriptedFetch } from "./scripted.ts";

const uploaded = () =>
  json({ blob: { $type: "blob", ref: { $link: "bafkreia" }, mimeType: "image/jpeg", size: 1 } });

async function send(change: PostChange) {
  const { fetch, calls } = scriptedFetch({
    "com.atproto.repo.uploadBlob": (change.media ?? []).map(uploaded),
    "com.atproto.repo.putRecord": [json({ uri: "at://did/app.bsky.feed.post/1", cid: "bafya" })],
  });
  await publish(bluesky, job(fetch, { post: change }));
  const { text, embed } = calls.at(-1)?.json.record ?? {};
  const images: { alt: string }[] = embed?.images ?? [];
  return { heading: null, text, altTexts: images.map(({ alt }) => alt) };
}

const media = [image(), image()];

testTexts(
  bluesky,
  [
    ["a text", { title: "T" }, { heading: null, text: "Hello, world", altTexts: [] }],
    ["a title alone", { title: "T", description: " " }, { heading: null, text: "T", altTexts: [] }],
    [
      "images without words",
      { media, description: null },
      { heading: null, text: "", altTexts: ["", ""] },
    ],
    [
      "images that are described alike",
      { media, settings: { bluesky_alt_text: "A pier" } },
      { heading: null, text: "Hello, world", altTexts: ["A pier", "A pier"] },
    ],
    [
      "images of which one is described",
      { media, settings: { bluesky_alt_text: ["A pier"] } },
      { heading: null, text: "Hello, world", altTexts: ["A pier", ""] },
    ],
  ],
  { toPost: post, send },
);
