import assert from "node:assert/strict";
import { createGradientPng } from "../../src/cli/png.ts";
import type { Refusal } from "./akimbo.ts";
import { loadPostReader } from "./atproto.ts";
import {
  type Check,
  DELETE_RECORD,
  LOOK_UP_SECONDS,
  type Posting,
  PUT_RECORD,
  type World,
} from "./posting.ts";

const POSTS = 10;
const SIDE = 16;
const COLOURS = { from: [20, 40, 90], to: [30, 200, 160] } as const;

interface PartAnswer {
  position: number;
  kind: string;
  status: string;
  platformPostId: string;
}

interface Thread {
  status: string;
  metadata: { videoId: string };
  parts: PartAnswer[];
}

const textOf = (position: number): string => `Post ${position + 1} of a thread of ${POSTS}`;
const positions = Array.from({ length: POSTS }, (_, i) => i);

/** A thread on the server: every answer to a post of it is lost, and it is taken down again. */
export function createThreadChecks(
  { akimbo, relay, author, pds }: World,
  posting: Posting,
): Check[] {
  let uploadId = 0;

  const count = async () =>
    (await pds.listPosts(author.did)).filter(({ text }) => /of a thread of/.test(text)).length;

  return [
    {
      name: `publishes a thread of ${POSTS} with images once, although each answer is lost, read by @atproto/api`,
      run: async () => {
        const puts = relay.callsOf(PUT_RECORD).length;
        const photos = positions.map((i) =>
          createGradientPng({ width: SIDE + i, height: SIDE, ...COLOURS }),
        );
        const thread = positions
          .slice(1)
          .map((position) => ({ text: textOf(position), media: [position] }));
        let lost = relay.loseNext(PUT_RECORD, "reply");
        const { status, body } = await akimbo.post({
          accountId: posting.accountId(),
          description: textOf(0),
          photo: photos.map((bytes, i) => new File([bytes], `${i}.png`, { type: "image/png" })),
          thread: JSON.stringify(thread),
        });
        assert.equal(status, 200, body.error);
        uploadId = body.data.uploadId;
        for (const position of positions) {
          await lost;
          assert.equal(await count(), position + 1, "posts at the server");
          if (position < POSTS - 1) lost = relay.loseNext(PUT_RECORD, "reply");
          await akimbo.advanceClock(LOOK_UP_SECONDS);
        }
        await akimbo.completed(uploadId);
        const answer = await akimbo.call<{ data: Thread }>("GET", `/upload/${uploadId}`);
        const { metadata, parts } = answer.body.data;
        assert.deepEqual(
          parts.map(({ position, kind, status }) => [position, kind, status]),
          positions.slice(1).map((position) => [position, "post", "completed"]),
        );
        const calls = relay.callsOf(PUT_RECORD).slice(puts);
        assert.equal(calls.length, POSTS, "calls of putRecord at the server");

        const posts = await (await loadPostReader())(pds.origin, author.did);
        const ours = posts.filter(({ record }) => /of a thread of/.test(record.text));
        assert.equal(ours.length, POSTS, "posts of the thread");
        const uris = [metadata.videoId, ...parts.map(({ platformPostId }) => platformPostId)];
        const [root] = uris;
        for (const [position, uri] of uris.entries()) {
          const post = ours.find((one) => one.uri === uri);
          assert.ok(post, `The server has no ${uri}.`);
          assert.equal(post.record.text, textOf(position));
          const reply = post.record.reply;
          assert.equal(reply?.root.uri, position === 0 ? undefined : root);
          assert.equal(reply?.parent.uri, position === 0 ? undefined : uris[position - 1]);
          for (const reference of reply ? [reply.root, reply.parent] : []) {
            const target = ours.find((one) => one.uri === reference.uri);
            assert.equal(reference.cid, target?.cid, "the reference is to that version");
          }
          const [image, ...others] = post.record.embed?.images ?? [];
          assert.ok(image && others.length === 0, `${textOf(position)} has one image`);
          const stored = await pds.getBlob(author.did, image.image.ref.toString());
          assert.ok(photos[position]?.equals(stored), `image of ${textOf(position)}`);
        }
      },
    },
    {
      name: `takes the thread of ${POSTS} down as a whole, although an answer is lost`,
      run: async () => {
        const before = await pds.listPosts(author.did);
        const deletes = relay.callsOf(DELETE_RECORD).length;
        const lost = relay.loseNext(DELETE_RECORD, "reply");
        const path = `/upload/${uploadId}/unpublish`;
        type Down = { data: { unpublishedAt: string } } & Refusal;
        const first = await akimbo.call<Down>("POST", path);
        await lost;
        assert.equal(first.status, 200, first.body.error);
        assert.equal(await count(), 0);
        assert.equal((await pds.listPosts(author.did)).length, before.length - POSTS);
        assert.equal(relay.callsOf(DELETE_RECORD).length - deletes, POSTS);
        const again = await akimbo.call<Down>("POST", path);
        assert.equal(again.body.data.unpublishedAt, first.body.data.unpublishedAt);
        assert.equal(relay.callsOf(DELETE_RECORD).length - deletes, POSTS);
      },
    },
  ];
}
