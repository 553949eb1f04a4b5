import assert from "node:assert/strict";
import { createSampleVideo } from "../../src/cli/sample-video.ts";
import type { Refusal } from "./akimbo.ts";
import {
  connectByToken,
  getAccount,
  type MastodonPosting,
  type MastodonWorld,
  toPhoto,
  VERIFY,
} from "./mastodon-posting.ts";
import { shownText } from "./mastodon-server.ts";
import type { Check } from "./posting.ts";

const FILM_BYTES = 200_000;
const ALBUM = 4;

interface Part {
  kind: string;
  status: string;
  platformPostId: string;
}

interface Figures {
  videos: { id: string; likes: number }[];
}

/** In the order in which they have to run: each builds on the ones before. */
export function createMastodonChecks(world: MastodonWorld, posting: MastodonPosting): Check[] {
  const { akimbo, server, relay } = world;
  const { publish, toText } = posting;

  return [
    {
      name: "refuses a wrong token (400)",
      run: async () => {
        const { status, body } = await connectByToken(world, "wrong");
        assert.equal(status, 400);
        assert.ok(body.error);
        assert.equal(relay.callsOf(VERIFY).at(-1)?.status, 401);
      },
    },
    {
      name: "connects by a token; the account has the server's limits",
      run: async () => {
        await posting.connect();
        const { serverLimits } = await getAccount(world, posting.accountId());
        const { statuses, media_attachments, polls } = await server.readConfiguration();
        const expected = {
          postCharacters: statuses.max_characters,
          altTextCharacters: media_attachments.description_limit,
          linkCharacters: statuses.characters_reserved_per_url,
          maxFiles: statuses.max_media_attachments,
          imageMaxBytes: media_attachments.image_size_limit,
          videoMaxBytes: media_attachments.video_size_limit,
          mimeTypes: media_attachments.supported_mime_types,
          pollOptions: polls?.max_options,
          pollOptionCharacters: polls?.max_characters_per_option,
          pollMinSeconds: polls?.min_expiration,
          pollMaxSeconds: polls?.max_expiration,
        };
        assert.deepEqual(serverLimits, JSON.parse(JSON.stringify(expected)));
      },
    },
    {
      name: "publishes a text of many kinds of characters",
      run: async () => {
        const text = toText("👩‍👩‍👧‍👦 Ünï & <b> 日本 #Grüße https://example.com/a?b=1");
        const post = await publish({ description: text });
        assert.equal(await server.readText(post.id), text);
        assert.equal(post.visibility, "private");
      },
    },
    {
      name: "sets content warning, language and visibility",
      run: async () => {
        const post = await publish({
          description: toText("Der Mörder ist der Gärtner"),
          mastodon_content_warning: "Ende des Films",
          mastodon_language: "de",
          mastodon_visibility: "unlisted",
        });
        assert.equal(post.spoiler_text, "Ende des Films");
        assert.equal(post.language, "de");
        assert.equal(post.visibility, "unlisted");
      },
    },
    {
      name: "publishes an image with its alt text, hidden until it is clicked",
      run: async () => {
        const { media_attachments, sensitive } = await publish({
          description: toText("An image"),
          photo: [toPhoto(400, 300)],
          alt_text: "From blue to green, with Ü",
          mastodon_sensitive: "true",
        });
        assert.deepEqual(
          media_attachments.map(({ type, description }) => [type, description]),
          [["image", "From blue to green, with Ü"]],
        );
        assert.equal(sensitive, true);
      },
    },
    {
      name: "publishes an album in order, without a text",
      run: async () => {
        const altTexts = Array.from({ length: ALBUM }, (_, i) => `Picture ${i + 1}`);
        const post = await publish({
          photo: altTexts.map((_, i) => toPhoto(300 + i, 200)),
          alt_text: altTexts,
        });
        assert.deepEqual(
          post.media_attachments.map(({ description }) => description),
          altTexts,
        );
        assert.equal(shownText(post), "");
      },
    },
    {
      name: "publishes a video",
      run: async () => {
        const film = createSampleVideo(world.mark, FILM_BYTES);
        const { media_attachments } = await publish({
          description: toText("A video"),
          video: [new File([film], "film.mp4", { type: "video/mp4" })],
          alt_text: "A film",
        });
        const [video] = media_attachments;
        assert.match(video?.type ?? "", /^(video|gifv)$/);
        assert.equal(video?.description, "A film");
      },
    },
    {
      name: "publishes a poll, where the server has polls",
      run: async () => {
        if (!(await server.readConfiguration()).polls) return;
        const { poll } = await publish({
          description: toText("Tea or coffee?"),
          mastodon_poll_options: JSON.stringify(["Tea, green", "Coffee"]),
          mastodon_poll_duration_minutes: "60",
          mastodon_poll_multiple: "true",
        });
        assert.deepEqual(
          poll?.options.map(({ title }) => title),
          ["Tea, green", "Coffee"],
        );
        assert.equal(poll?.multiple, true);
      },
    },
    {
      name: "publishes a thread of three with a first comment, each under the one before",
      run: async () => {
        const texts = [1, 2, 3].map((i) => toText(`Post ${i} of a thread`));
        const root = await publish({
          description: texts[0] ?? "",
          thread: JSON.stringify(texts.slice(1).map((text) => ({ text }))),
          first_comment: toText("A first comment"),
        });
        const answer = await akimbo.call<{ data: { parts: Part[] } }>(
          "GET",
          `/upload/${root.uploadId}`,
        );
        const { parts } = answer.body.data;
        assert.deepEqual(
          parts.map(({ kind, status }) => [kind, status]),
          [
            ["post", "completed"],
            ["post", "completed"],
            ["comment", "completed"],
          ],
        );
        const [second, third, comment] = await Promise.all(
          parts.map(({ platformPostId }) => server.getStatus(platformPostId)),
        );
        assert.ok(second && third && comment);
        assert.equal(second.in_reply_to_id, root.id);
        assert.equal(third.in_reply_to_id, second.id);
        assert.ok([root.id, third.id].includes(comment.in_reply_to_id ?? ""));
        assert.equal(await server.readText(third.id), texts[2]);
        assert.equal(await server.readText(comment.id), toText("A first comment"));
        assert.ok([second, third, comment].every(({ visibility }) => visibility === "private"));
      },
    },
    {
      name: "edits the text, and leaves files, warning and language",
      run: async () => {
        const before = await publish({
          description: toText("With a mistke"),
          photo: [toPhoto(200, 200)],
          alt_text: "A square",
          mastodon_content_warning: "Spelling",
          mastodon_language: "en",
        });
        const text = toText("With no mistake");
        const { status, body } = await akimbo.call<Refusal>("PATCH", `/upload/${before.uploadId}`, {
          description: text,
        });
        assert.equal(status, 200, body.error);
        const { content: _, ...after } = await server.getStatus(before.id);
        assert.equal(await server.readText(before.id), text);
        assert.deepEqual(after.media_attachments, before.media_attachments);
        for (const name of ["spoiler_text", "sensitive", "language", "visibility"] as const) {
          assert.equal(after[name], before[name], name);
        }
      },
    },
    {
      name: "takes a post down",
      run: async () => {
        const post = await publish({ description: toText("To be taken down") });
        const { status, body } = await akimbo.call<Refusal>(
          "POST",
          `/upload/${post.uploadId}/unpublish`,
        );
        assert.equal(status, 200, body.error);
        assert.equal(await server.findStatus(post.id), null);
      },
    },
    {
      name: "reads figures of posts",
      run: async () => {
        const post = await publish({ description: toText("To be counted") });
        await server.favourite(post.id);
        const { status, body } = await akimbo.call<{ data: Figures } & Refusal>(
          "POST",
          `/analytics/${posting.accountId()}/sync`,
        );
        assert.equal(status, 200, body.error);
        const figures = body.data.videos.find(({ id }) => id === post.id);
        assert.equal(figures?.likes, (await server.getStatus(post.id)).favourites_count);
      },
    },
    {
      name: "rehearses: the post is read back and deleted, and is gone at the server",
      run: async () => {
        const rehearsal = await akimbo.rehearse(posting.accountId());
        assert.equal(rehearsal.outcome, "removed", rehearsal.summary);
        assert.equal(await server.findStatus(rehearsal.platformPostId ?? ""), null);
      },
    },
  ];
}
