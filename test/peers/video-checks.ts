import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createSampleVideo } from "../../src/cli/sample-video.ts";
import type { PostRecord, VideoEmbed } from "./bluesky.ts";
import type { Check, Posting, World } from "./posting.ts";
import { readClaims } from "./tokens.ts";
import type { VideoCall } from "./video-service.ts";

const FILM_SIZE = { width: 720, height: 1_280 };
const FILM_BYTES = 350_000;
/** The film in three such parts and a shorter one. */
const PART_BYTES = 100_000;
/** Source: @atproto/pds, `blobUploadLimit`. */
const MAX_SERVER_BLOB_BYTES = 5 * 1_024 * 1_024;
/** Long enough for Akimbo to note a refusal: what is not planned yet is not woken by the clock. */
const NOTING_MS = 1_000;
/** A transient failure is retried after 30 s, and by the sweep 20 s later at the latest. */
const BACKOFF_SECONDS = 55;
/** Source: @atproto/xrpc-server, `createServiceJwt`. */
const DEFAULT_TOKEN_SECONDS = 60;

/** They need the author's account connected. */
export function createVideoChecks(world: World, posting: Posting): Check[] {
  const { akimbo, pds, author, videoService } = world;

  /** Tells the calls of a method that have come since. */
  function watchCalls(method: string): () => VideoCall[] {
    const before = videoService.callsOf(method).length;
    return () => videoService.callsOf(method).slice(before);
  }

  async function requireVideo(post: PostRecord, film: Buffer, alt?: string): Promise<void> {
    const embed = post.embed as VideoEmbed;
    assert.deepEqual(embed, {
      $type: "app.bsky.embed.video",
      video: { ...embed.video, $type: "blob", mimeType: "video/mp4", size: film.length },
      ...(alt === undefined ? {} : { alt }),
      aspectRatio: FILM_SIZE,
    });
    const stored = await pds.getBlob(author.did, embed.video.ref.$link);
    assert.ok(film.equals(stored), "the video has other bytes");
  }

  /** Posts a film that does not come through: its upload. */
  async function publishInVain(description: string, film: Buffer<ArrayBuffer>) {
    const accountId = posting.accountId();
    const { body } = await akimbo.post({ accountId, description, video: [toFile(film)] });
    const upload = await akimbo.failed(body.data.uploadId);
    assert.equal(await posting.countPosts(description), 0);
    return upload;
  }

  return [
    {
      name: "publishes a video that the video service has written to the server, with its alt text",
      run: async () => {
        const film = createFilm(FILM_BYTES);
        const alt = "Streifen in Grün 🌲, moving";
        const finishes = watchCalls("finishUpload");
        const before = videoService.deliveries.length;
        const post = await posting.publish({
          description: "A video",
          video: [toFile(film)],
          bluesky_alt_text: alt,
        });
        await requireVideo(post, film, alt);
        const [delivery, ...more] = videoService.deliveries.slice(before);
        assert.equal(more.length, 0);
        assert.equal(delivery?.status, 200, JSON.stringify(delivery?.reply));
        assert.equal(delivery.token, finishes()[0]?.token);
      },
    },
    {
      name: "publishes a video in four parts, one of them refused at first (503)",
      run: async () => {
        const film = createFilm(FILM_BYTES);
        videoService.splitNext(PART_BYTES);
        const parts = watchCalls("uploadPart");
        const starts = watchCalls("startUpload");
        const refused = videoService.refuse(
          "uploadPart",
          { status: 503, error: "ServiceOverloaded", message: "Try again later" },
          1,
        );
        const { body } = await akimbo.post({
          accountId: posting.accountId(),
          description: "A video in parts",
          video: [toFile(film)],
        });
        await refused;
        await sleep(NOTING_MS);
        await akimbo.advanceClock(BACKOFF_SECONDS);
        const { metadata } = await akimbo.completed(body.data.uploadId);
        await requireVideo(await pds.getPost(metadata.videoId), film);
        assert.equal(starts().length, 1);
        assert.deepEqual(
          parts().map(({ query, status, sizeBytes }) => [
            query.get("partNumber"),
            sizeBytes,
            status,
          ]),
          [
            ["1", PART_BYTES, 200],
            ["2", PART_BYTES, 503],
            ["2", PART_BYTES, 200],
            ["3", PART_BYTES, 200],
            ["4", FILM_BYTES - 3 * PART_BYTES, 200],
          ],
        );
      },
    },
    {
      name: "sends a video at once where the service has no uploads in parts",
      run: async () => {
        const film = createFilm(FILM_BYTES);
        const parts = watchCalls("uploadPart");
        const shots = watchCalls("uploadVideo");
        const seen = videoService.verified.length;
        const askedAt = Date.now() / 1_000;
        videoService.refuse("startUpload", {
          status: 501,
          error: "MethodNotImplemented",
          message: "Method Not Implemented",
        });
        const description = "A video at once";
        await requireVideo(await posting.publish({ description, video: [toFile(film)] }), film);
        assert.equal(parts().length, 0);
        const [shot, ...more] = shots();
        assert.equal(more.length, 0);
        assert.equal(shot?.query.get("did"), author.did);
        assert.equal(videoService.deliveries.at(-1)?.token, shot.token);

        const [limits] = videoService.verified.slice(seen);
        assert.equal(limits?.iss, author.did);
        assert.equal(limits.aud, "did:web:video.bsky.app");
        assert.equal(limits.lxm, "app.bsky.video.getUploadLimits");
        assert.ok(
          limits.exp >= askedAt && limits.exp <= Date.now() / 1_000 + DEFAULT_TOKEN_SECONDS,
        );
      },
    },
    {
      name: "fails with the service's words when it cannot convert the video, and posts nothing",
      run: async () => {
        const message = "The video has no picture that could be converted.";
        const before = videoService.deliveries.length;
        videoService.failNext({ failureCode: "encoding_failure", message });
        const upload = await publishInVain("A broken video", createFilm(FILM_BYTES));
        assert.equal(upload.errorMessage, message);
        assert.equal(upload.failure?.code, "media_invalid");
        assert.equal(videoService.deliveries.length, before);
      },
    },
    {
      name: "fails with the server's words when the video is too large for it, and posts nothing",
      run: async () => {
        const film = createFilm(MAX_SERVER_BLOB_BYTES + 1);
        const upload = await publishInVain("A video for a larger server", film);
        const delivery = videoService.deliveries.at(-1);
        assert.equal(delivery?.status, 413);
        assert.equal(upload.failure?.code, "media_invalid");
        const { message } = delivery.reply as { message: string };
        assert.equal(upload.errorMessage, `The server refused the video: ${message}`);
      },
    },
    {
      name: "finds the video post whose reply got lost, and makes no second one",
      run: async () => {
        const film = createFilm(FILM_BYTES);
        const starts = watchCalls("startUpload");
        const before = videoService.deliveries.length;
        const description = "The reply to this video gets lost";
        const post = await posting.publishDespite("reply", { description, video: [toFile(film)] });
        await requireVideo(post, film);
        assert.equal(starts().length, 1);
        assert.equal(videoService.deliveries.length - before, 1);
      },
    },
    {
      name: "asks the server for another token at every step, each for writing one blob there",
      run: async () => {
        const film = createFilm(FILM_BYTES);
        videoService.splitNext(PART_BYTES);
        const uploads = ["startUpload", "uploadPart", "finishUpload"].map(watchCalls);
        await posting.publish({ description: "A video by tokens", video: [toFile(film)] });
        const tokens = uploads.flatMap((calls) => calls()).map(({ token }) => token ?? "");
        assert.equal(tokens.length, 6);
        assert.equal(new Set(tokens).size, tokens.length);
        for (const token of tokens) {
          const { iss, aud, lxm } = readClaims(token);
          const expected = { iss: author.did, aud: await readServerDid() };
          assert.deepEqual({ iss, aud, lxm }, { ...expected, lxm: "com.atproto.repo.uploadBlob" });
        }
      },
    },
  ];

  async function readServerDid(): Promise<string> {
    const { body } = await pds.call<{ did: string }>("com.atproto.server.describeServer", {});
    return body.did;
  }
}

/** No two alike: Akimbo refuses a post that it has had. */
const createFilm = (sizeBytes: number): Buffer<ArrayBuffer> =>
  createSampleVideo(randomBytes(8).toString("hex"), sizeBytes);

const toFile = (film: Buffer<ArrayBuffer>): File =>
  new File([film], "film.mp4", { type: "video/mp4" });
