import { telegram } from "../../../src/platforms/telegram/index.ts";
import { publish, testTexts } from "../sent-texts.ts";
import { image, job, json, type PostChange, post, scriptedFetch, sent } from "./scripted.ts";

async function send(change: PostChange) {
  const { fetch, calls } = scriptedFetch({
    sendMessage: [json(sent(1))],
    sendPhoto: [json(sent(1))],
  });
  await publish(telegram, job(fetch, { post: change }));
  const [call] = calls;
  const caption = /name="caption"\r\n\r\n([^\r]*)/.exec(call?.text ?? "")?.[1];
  return { heading: null, text: call?.json?.text ?? caption ?? "" };
}

testTexts(
  telegram,
  [
    ["a text", { title: "T" }, { heading: null, text: "Hello" }],
    ["a title alone", { title: "T", description: " " }, { heading: null, text: "T" }],
    ["a photo", { media: [image()] }, { heading: null, text: "Hello" }],
    ["a photo without words", { media: [image()], description: null }, { heading: null, text: "" }],
    [
      "formatted text",
      { description: "<b>A</b> &amp; B", settings: { telegram_format: "html" } },
      { heading: null, text: "A & B" },
    ],
  ],
  { toPost: post, send },
);
