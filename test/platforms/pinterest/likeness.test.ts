import { pinterest } from "../../../src/platforms/pinterest/index.ts";
import { publish, testTexts } from "../sent-texts.ts";
import {
  BOARD,
  image,
  type JobChange,
  job,
  json,
  MEDIA_ID,
  NOW,
  post,
  scriptedFetch,
  video,
} from "./scripted.ts";

async function send(change: JobChange) {
  const { media = [image()] } = change;
  const mediaId = media[0]?.kind === "video" ? MEDIA_ID : null;
  const { fetch, calls } = scriptedFetch({ "POST /pins": [json({ id: "8", title: "" }, 201)] });
  const bookmark = { stage: "ready", mediaId, readyAt: NOW.getTime() };
  await publish(pinterest, job(fetch, change), bookmark);
  const { title, description = "", alt_text = "" } = calls[0]?.json ?? {};
  return { heading: title, text: description, altTexts: media.map(() => alt_text) };
}

testTexts(
  pinterest,
  [
    ["a pin", { description: "More" }, { heading: "Look", text: "More", altTexts: [""] }],
    [
      "a pin without words",
      { title: " ", description: " " },
      { heading: "Untitled", text: "", altTexts: [""] },
    ],
    ["a video", { media: [video()] }, { heading: "Look", text: "", altTexts: [""] }],
    [
      "a carousel that is described",
      { media: [image(), image()], settings: { board_id: BOARD, alt_text: "A pier" } },
      { heading: "Look", text: "", altTexts: ["A pier", "A pier"] },
    ],
  ],
  { toPost: post, send },
);
