import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createGradientPng } from "../../src/cli/png.ts";
import type { Refusal } from "./akimbo.ts";
import type { Facet } from "./bluesky.ts";
import { serveFile } from "./http.ts";
import {
  type Check,
  connectAccount,
  GET_RECORD,
  type Posting,
  PUT_RECORD,
  rehearseWith,
  type World,
} from "./posting.ts";
import type { Session } from "./relay.ts";
import { expire, lifeOf } from "./tokens.ts";

const CREATE_SESSION = "com.atproto.server.createSession";
const REFRESH_SESSION = "com.atproto.server.refreshSession";
const DELETE_SESSION = "com.atproto.server.deleteSession";
const CREATE_RECORD = "com.atproto.repo.createRecord";

/** Source: lexicon app.bsky.embed.images. */
const MAX_IMAGE_BYTES = 2_000_000;
const BURST = 10;
/** A token this close to its end is refreshed before it is used. */
const EARLY_SECONDS = 60;
/** Longer than a burst takes. The token that it fetches is as near to its end as the old one by then. */
const BURST_SECONDS = 20;
/** Long enough for the other posts of a burst to meet the refresh under way. */
const SLOW_REFRESH_MS = 1_000;
/** Far enough for no post to be woken before the clock is moved. */
const PLANNED_AHEAD_MS = 120_000;
/** Tokens issued within one second are the same token. */
const OTHER_TOKEN_SECONDS = 2;
const DEFERRED_WORK_MS = 5_000;

/** In the order in which they have to run: each builds on the ones before. */
export function createChecks(world: World, posting: Posting): Check[] {
  const { akimbo, pds, relay, author, friend } = world;
  const { publish, publishDespite, countPosts } = posting;

  /** Waits until the access token in use is that old. */
  async function ageSession(seconds: number): Promise<void> {
    const { issuedAt } = lifeOf(relay.session().accessJwt);
    await sleep(Math.max(0, issuedAt.getTime() + seconds * 1_000 - Date.now()));
  }

  /** Posts planned for one moment, which then comes: they start together. */
  async function publishBurst(text: string, at: Date): Promise<void> {
    const before = relay.session();
    const refreshes = relay.callsOf(REFRESH_SESSION).length;
    const lookUps = relay.callsOf(GET_RECORD).length;
    relay.delayNext(REFRESH_SESSION, SLOW_REFRESH_MS);
    const texts = Array.from({ length: BURST }, (_, i) => `${text} ${i + 1}`);
    const planned = await Promise.all(
      texts.map((description) =>
        akimbo.post({
          accountId: posting.accountId(),
          description,
          schedule_date: at.toISOString(),
        }),
      ),
    );
    await akimbo.setClock(at);
    await Promise.all(planned.map(({ body }) => akimbo.completed(body.data.uploadId)));
    const stored = (await pds.listPosts(author.did)).map((post) => post.text);
    assert.deepEqual(stored.filter((each) => each.startsWith(text)).sort(), texts.sort());
    assert.equal(relay.callsOf(REFRESH_SESSION).length - refreshes, 1, "refreshes");
    assert.equal(relay.callsOf(GET_RECORD).length - lookUps, 0, "look-ups after a clear refusal");
    assert.notEqual(relay.session().refreshJwt, before.refreshJwt);
  }

  return [
    {
      name: "refuses a wrong app password with the server's words (400)",
      run: async () => {
        const { status, body } = await connectAccount(world, {
          identifier: author.handle,
          appPassword: "aaaa-bbbb-cccc-dddd",
        });
        assert.equal(status, 400);
        assert.equal(body.errors?.[0]?.field, "appPassword");
        assert.match(body.error, /invalid identifier or password/i);
        assert.equal(relay.callsOf(CREATE_SESSION).at(-1)?.status, 401);
      },
    },
    {
      name: "refuses an account password before it leaves (400)",
      run: async () => {
        const calls = relay.calls.length;
        const { status, body } = await connectAccount(world, {
          identifier: author.handle,
          appPassword: author.password,
        });
        assert.equal(status, 400);
        assert.match(body.error, /xxxx-xxxx-xxxx-xxxx.+App passwords/);
        assert.equal(relay.calls.length, calls);
      },
    },
    {
      name: "connects by handle, app password and service",
      run: posting.connect,
    },
    {
      name: "marks links, mentions and hashtags by the right bytes; sets languages and labels",
      run: async () => {
        const text =
          "👩‍👩‍👧‍👦 Ünï 🎉 https://example.com/a?b=ç#d, example.org/path. " +
          `Hi @${friend.handle} and @nobody.test! 🇩🇪 #Grüße 日本 #b2b`;
        const post = await publish({
          description: text,
          bluesky_langs: "de,en-us",
          bluesky_labels: "nudity",
        });
        assert.equal(post.text, text);
        assert.deepEqual(
          post.facets?.map((facet) => [cut(text, facet), ...facet.features]),
          [
            ["https://example.com/a?b=ç#d", link("https://example.com/a?b=ç#d")],
            ["example.org/path", link("https://example.org/path")],
            [`@${friend.handle}`, { $type: "app.bsky.richtext.facet#mention", did: friend.did }],
            ["#Grüße", { $type: "app.bsky.richtext.facet#tag", tag: "Grüße" }],
            ["#b2b", { $type: "app.bsky.richtext.facet#tag", tag: "b2b" }],
          ],
        );
        assert.deepEqual(post.langs, ["de", "en-US"]);
        assert.deepEqual(post.labels, {
          $type: "com.atproto.label.defs#selfLabels",
          values: [{ val: "nudity" }],
        });
      },
    },
    {
      name: "publishes four images in order, one of 2,000,000 bytes, with alt texts, sizes and bytes",
      run: async () => {
        const altTexts = [
          "A wide one",
          "Ein hohes, mit Grün 🌲",
          "Square, with a comma",
          "A strip",
        ];
        const post = await publish({
          description: "Four images",
          photo: PHOTOS.map(toFile),
          bluesky_alt_text: altTexts,
        });
        assert.equal(post.embed?.$type, "app.bsky.embed.images");
        assert.deepEqual(
          post.embed.images.map(({ image, alt, aspectRatio }) => ({
            alt,
            aspectRatio,
            type: image.$type,
            mime: image.mimeType,
            size: image.size,
          })),
          PHOTOS.map(({ bytes, width, height }, i) => ({
            alt: altTexts[i],
            aspectRatio: { width, height },
            type: "blob",
            mime: "image/png",
            size: bytes.length,
          })),
        );
        for (const [i, { image }] of post.embed.images.entries()) {
          const stored = await pds.getBlob(author.did, image.ref.$link);
          assert.ok(PHOTOS[i]?.bytes.equals(stored), `image ${i + 1} has other bytes`);
        }
      },
    },
    {
      name: "refuses an image of more than 2,000,000 bytes (400)",
      run: async () => {
        const photo = [toFile(pad(createPhoto(100, 100), MAX_IMAGE_BYTES + 1))];
        const calls = relay.calls.length;
        const { status, body } = await akimbo.post({
          accountId: posting.accountId(),
          description: "Too big",
          photo,
        });
        assert.equal(status, 400);
        assert.match(body.error, /2,000,001 bytes/);
        assert.equal(relay.calls.length, calls);
      },
    },
    {
      name: "publishes an image given by URL",
      run: async () => {
        const { bytes, width, height } = createPhoto(500, 200);
        const post = await publish({
          description: "An image by URL",
          photo: await serveFile(bytes, "image/png"),
          bluesky_alt_text: "From the web",
        });
        assert.equal(post.embed?.$type, "app.bsky.embed.images");
        const [image] = post.embed.images;
        assert.equal(image?.alt, "From the web");
        assert.deepEqual(image.aspectRatio, { width, height });
        assert.ok(bytes.equals(await pds.getBlob(author.did, image.image.ref.$link)));
      },
    },
    {
      name: "takes a text of 300 characters that are many bytes, as the server does",
      run: async () => {
        const text = "👩‍👩‍👧‍👦".repeat(60) + "e\u0301".repeat(240);
        assert.equal((await publish({ description: text })).text, text);
      },
    },
    {
      name: "refuses 301 characters, as the server would, without asking it (400)",
      run: async () => {
        const text = "é".repeat(301);
        const calls = relay.calls.length;
        const { status, body } = await akimbo.post({
          accountId: posting.accountId(),
          description: text,
        });
        assert.equal(status, 400);
        assert.match(body.error, /300.+301/);
        assert.equal(relay.calls.length, calls);
        assert.equal(await countPosts(text), 0);

        const collection = "app.bsky.feed.post";
        const record = { $type: collection, text, createdAt: new Date().toISOString() };
        const refusal = await pds.call<{ message: string }>(CREATE_RECORD, {
          token: relay.session().accessJwt,
          body: { repo: author.did, collection, record },
        });
        assert.equal(refusal.status, 400);
        assert.match(refusal.body.message, /grapheme too big/);
      },
    },
    {
      name: "finds the post whose reply got lost, and makes no second one",
      run: async () => {
        await publishDespite("reply", { description: "The reply to this one gets lost" });
      },
    },
    {
      name: "sends a post again that never arrived, once",
      run: async () => {
        await publishDespite("request", { description: "This one does not arrive at first" });
      },
    },
    {
      name: `renews an ending session once for ${BURST} posts at a time`,
      run: async () => {
        await ageSession(BURST_SECONDS);
        const { expiresAt } = lifeOf(relay.session().accessJwt);
        const ending = new Date(expiresAt.getTime() - EARLY_SECONDS * 1_000);
        await publishBurst("On an ending session", ending);
        const lastCalls = relay.callsOf(PUT_RECORD).slice(-BURST);
        const { accessJwt } = relay.session();
        assert.ok(lastCalls.every(({ token, status }) => status === 200 && token === accessJwt));
      },
    },
    {
      name: "goes on with the new session",
      run: async () => {
        const refreshes = relay.callsOf(REFRESH_SESSION).length;
        await akimbo.setClock(new Date());
        await publish({ description: "On the new session" });
        assert.equal(relay.callsOf(PUT_RECORD).at(-1)?.token, relay.session().accessJwt);
        assert.equal(relay.callsOf(REFRESH_SESSION).length, refreshes);
      },
    },
    {
      name: `renews a session that the server calls expired, once for ${BURST} posts at a time`,
      run: async () => {
        await ageSession(OTHER_TOKEN_SECONDS);
        const { accessJwt } = relay.session();
        relay.replaceToken(accessJwt, expire(accessJwt, world.jwtSecret));
        const seen = relay.callsOf(PUT_RECORD).length;
        await publishBurst("On an expired session", new Date(Date.now() + PLANNED_AHEAD_MS));
        const refused = relay
          .callsOf(PUT_RECORD)
          .slice(seen)
          .filter(({ status }) => status !== 200);
        assert.ok(refused.length > 0);
        assert.ok(refused.every(({ reply }) => (reply as Refusal).error === "ExpiredToken"));
      },
    },
    {
      name: "rehearses: the post is published, read back and deleted, and is gone at the server",
      run: () => rehearseWith(world, posting.accountId(), author),
    },
    {
      name: "ends the session at the server when the account is disconnected",
      run: async () => {
        const { refreshJwt } = relay.session();
        const { status } = await akimbo.call("DELETE", `/accounts/${posting.accountId()}`);
        assert.equal(status, 200);
        const deadline = Date.now() + DEFERRED_WORK_MS;
        while (relay.callsOf(DELETE_SESSION).length === 0 && Date.now() < deadline) await sleep(50);
        assert.equal(relay.callsOf(DELETE_SESSION)[0]?.status, 200);
        const refusal = await pds.call<Refusal>(REFRESH_SESSION, {
          token: refreshJwt,
          method: "POST",
        });
        assert.equal(refusal.status, 400);
        assert.equal(refusal.body.error, "ExpiredToken");
        const { status: postStatus } = await akimbo.post({
          accountId: posting.accountId(),
          description: "Too late",
        });
        assert.equal(postStatus, 404);
      },
    },
    {
      name: "connects the same account again",
      run: async () => {
        await posting.connect();
        const text = "Back again";
        assert.equal((await publish({ description: text })).text, text);
      },
    },
    {
      name: "connects by tokens of one's own",
      run: async () => {
        const session = await pds.call<Session>(CREATE_SESSION, {
          body: { identifier: friend.handle, password: friend.appPassword },
        });
        const { accessJwt: accessToken, refreshJwt: refreshToken } = session.body;
        const { status, body } = await connectAccount(world, {
          credentials: { accessToken, refreshToken },
        });
        assert.equal(status, 200, body.error);
        assert.equal(body.data.accountName, friend.handle);
        await akimbo.publish({ accountId: body.data.id, description: "By a friend" });
        const texts = (await pds.listPosts(friend.did)).map((post) => post.text);
        assert.deepEqual(texts, ["By a friend"]);
      },
    },
  ];
}

const link = (uri: string) => ({ $type: "app.bsky.richtext.facet#link", uri });

/** Returns the text that a facet marks. */
const cut = (text: string, { index }: Facet): string =>
  Buffer.from(text).subarray(index.byteStart, index.byteEnd).toString();

function createPhoto(width: number, height: number) {
  const colours = { from: [width % 256, 40, 90], to: [30, 200, 160] } as const;
  return { width, height, bytes: createGradientPng({ width, height, ...colours }) };
}

type Photo = ReturnType<typeof createPhoto>;

/** Readers of a PNG ignore what follows its end. */
const pad = (photo: Photo, sizeBytes: number): Photo => ({
  ...photo,
  bytes: Buffer.concat([photo.bytes, randomBytes(sizeBytes - photo.bytes.length)]),
});

const toFile = ({ bytes }: Photo): File => new File([bytes], "photo.png", { type: "image/png" });

const PHOTOS = [
  pad(createPhoto(640, 360), MAX_IMAGE_BYTES),
  createPhoto(400, 600),
  createPhoto(320, 320),
  createPhoto(600, 90),
];
