import { expect, test } from "vitest";
import { discord } from "../../../src/platforms/discord/index.ts";
import { publish, testTexts } from "../sent-texts.ts";
import { image, type JobChange, job, network, post } from "./scripted.ts";

async function send(change: JobChange) {
  const { fetch, calls } = network(Response.json({ id: "1", channel_id: "2" }));
  await publish(discord, job(fetch, change));
  const [call] = calls;
  const type = call?.headers["content-type"] ?? "";
  const form = type.startsWith("multipart/")
    ? await new Response(call?.text, { headers: { "content-type": type } }).formData()
    : null;
  const part = form?.get("payload_json") ?? null;
  const json = part === null ? call?.json : JSON.parse(String(await new Response(part).text()));
  return {
    heading: null,
    text: json.content,
    altTexts: (json.attachments ?? []).map(({ description = "" }) => description),
  };
}

testTexts(
  discord,
  [
    ["a text", {}, { heading: null, text: "Hello", altTexts: [] }],
    [
      "a title alone",
      { title: "Hi", description: null },
      { heading: null, text: "Hi", altTexts: [] },
    ],
    [
      "images",
      { media: [image({ altText: "A" }), image()] },
      { heading: null, text: "Hello", altTexts: ["A", ""] },
    ],
  ],
  { toPost: post, send },
);

test("says what a title is for", async () => {
  const { unpublished } = await discord.likeness(post({ title: "News" }));
  expect(unpublished).toEqual([
    {
      label: "The title names the post's thread in a forum, and is not published elsewhere",
      text: "News",
    },
  ]);
});

test("says settings in words, and not what is usual", async () => {
  expect(await discord.describeSettings(post())).toEqual([]);
  const settings = {
    discord_silent: "1",
    discord_mentions: "everyone,users",
  };
  expect(await discord.describeSettings(post({ settings }))).toEqual([
    { label: "Notifications", value: "Off" },
    { label: "Mentions notify", value: "Everyone, People" },
  ]);
});
