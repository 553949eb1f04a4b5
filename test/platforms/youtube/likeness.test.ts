import { youtube } from "../../../src/platforms/youtube/index.ts";
import { publish, testTexts } from "../sent-texts.ts";
import { finished, type JobChange, job, OPEN, opened, post, scriptedFetch } from "./scripted.ts";

async function send(change: JobChange) {
  const { fetch, calls } = scriptedFetch({
    [OPEN]: [opened()],
    "bytes 0-2499/2500": [finished()],
  });
  await publish(youtube, job(fetch, change));
  const { snippet } = JSON.parse(calls[0]?.text ?? "");
  return { heading: snippet.title || null, text: snippet.description ?? "" };
}

const OWN = { youtube_title: "Own title", youtube_description: "Own words" };

testTexts(
  youtube,
  [
    ["a video", { description: "More" }, { heading: "Look", text: "More" }],
    ["blank texts", { title: " ", description: " " }, { heading: null, text: "" }],
    ["texts with space around", { title: " A ", description: "\nB " }, { heading: "A", text: "B" }],
    [
      "a video with texts of its own",
      { description: "More", settings: OWN },
      { heading: "Own title", text: "Own words" },
    ],
  ],
  { toPost: post, send },
);
