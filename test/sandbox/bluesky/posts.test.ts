import { describe, expect, it } from "vitest";
import {
  type Connection,
  connect,
  png,
  readError,
  record,
  sandbox,
  unique,
  uniqueTid,
  upload,
  uploadImage,
  write,
  xrpc,
} from "../support.ts";

interface Written {
  uri: string;
  cid: string;
  commit?: { cid: string; rev: string };
  validationStatus: string;
}

const getRecord = ({ session, fetch }: Connection, rkey: string) => {
  const params = new URLSearchParams({
    repo: session.did,
    collection: "app.bsky.feed.post",
    rkey,
  });
  return fetch(`${xrpc("com.atproto.repo.getRecord")}?${params}`);
};

const images = (...items: unknown[]) => ({
  embed: { $type: "app.bsky.embed.images", images: items },
});

const facet = (byteStart: number, byteEnd: number, feature: Record<string, unknown>) => ({
  index: { byteStart, byteEnd },
  features: [feature],
});

const TAG = { $type: "app.bsky.richtext.facet#tag", tag: "tag" };
const LINK = { $type: "app.bsky.richtext.facet#link", uri: "https://example.com/" };

describe("uploadBlob", () => {
  it("answers with the reference of the file, the same for the same bytes", async () => {
    const connection = await connect();
    const first = await uploadImage(connection);
    expect(first).toEqual({
      $type: "blob",
      ref: { $link: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/) },
      mimeType: "image/png",
      size: 64,
    });
    expect(await uploadImage(connection)).toEqual(first);
    expect((await uploadImage(connection, png(64, 1))).ref).not.toEqual(first.ref);
  });

  it("has the CID of the bytes", async () => {
    const connection = await connect();
    const reply = await upload(connection, new TextEncoder().encode("hello world"));
    expect(await reply.json()).toMatchObject({
      blob: { ref: { $link: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e" } },
    });
  });

  it("believes the bytes rather than the header", async () => {
    const reply = await upload(await connect(), png(), { "content-type": "image/jpeg" });
    expect(await reply.json()).toMatchObject({ blob: { mimeType: "image/png" } });
  });

  it.each<[string, BodyInit, Record<string, string>, number, string]>([
    ["no content type", png(), {}, 400, "InvalidRequest"],
    ["no body", new Uint8Array(), { "content-type": "image/png" }, 400, "InvalidRequest"],
    [
      "no length",
      new ReadableStream({ start: (c) => c.close() }),
      { "content-type": "image/png" },
      400,
      "InvalidRequest",
    ],
    ["too much", png(5_242_881), { "content-type": "image/png" }, 413, "PayloadTooLarge"],
  ])("refuses %s", async (_, body, headers, status, error) => {
    expect(await readError(await upload(await connect(), body, headers))).toMatchObject({
      status,
      error,
    });
  });

  it("needs a login", async () => {
    const connection = await connect();
    const session = { ...connection.session, accessJwt: "a.b.c" };
    expect((await upload({ ...connection, session }, png())).status).toBe(400);
  });
});

describe("putRecord", () => {
  it("publishes, and the record can be read back", async () => {
    const connection = await connect();
    const rkey = uniqueTid();
    const blob = await uploadImage(connection);
    const value = record("Grüße #tag https://example.com/", {
      langs: ["de", "en-US"],
      facets: [facet(8, 12, TAG), facet(13, 33, LINK)],
      labels: { $type: "com.atproto.label.defs#selfLabels", values: [{ val: "nudity" }] },
      ...images({ image: blob, alt: "A test", aspectRatio: { width: 4, height: 3 } }),
    });
    const reply = await write(connection, value, { rkey, swapRecord: null });
    const written = await reply.json<Written>();
    expect(written).toEqual({
      uri: `at://${connection.session.did}/app.bsky.feed.post/${rkey}`,
      cid: expect.stringMatching(/^bafyrei[a-z2-7]{52}$/),
      commit: { cid: expect.any(String), rev: expect.any(String) },
      validationStatus: "valid",
    });
    expect(await (await getRecord(connection, rkey)).json()).toEqual({
      uri: written.uri,
      cid: written.cid,
      value,
    });
  });

  it("does nothing for the same record again, whatever the order of its keys", async () => {
    const connection = await connect();
    const rkey = uniqueTid();
    const first = await (await write(connection, record("Same"), { rkey })).json<Written>();
    const { text, createdAt, $type } = record("Same");
    const again = await write(connection, { createdAt, text, $type }, { rkey, swapRecord: null });
    const { commit, ...same } = first;
    expect(await again.json()).toEqual(same);
    expect(commit).toBeDefined();
    const posts = await sandbox().listPosts({ teamId: connection.teamId });
    expect(posts).toHaveLength(1);
    expect(posts[0]).toMatchObject({ text: "Same", received: 2 });
  });

  it("makes one post of a record that arrives twice at the same time", async () => {
    const connection = await connect();
    const rkey = uniqueTid();
    const put = () => write(connection, record("At once"), { rkey, swapRecord: null });
    const replies = await Promise.all([put(), put(), put()]);
    const written = await Promise.all(replies.map((reply) => reply.json<Written>()));
    expect(written.filter(({ commit }) => commit)).toHaveLength(1);
    expect(await sandbox().listPosts({ teamId: connection.teamId })).toMatchObject([
      { received: 3 },
    ]);
  });

  it("edits with another record, unless swapRecord forbids it", async () => {
    const connection = await connect();
    const rkey = uniqueTid();
    const first = await (await write(connection, record("One"), { rkey })).json<Written>();
    const refused = await write(connection, record("Two"), { rkey, swapRecord: null });
    expect(await readError(refused)).toEqual({
      status: 400,
      error: "InvalidSwap",
      message: `Record was at ${first.cid}`,
    });
    expect(await sandbox().listPosts({ teamId: connection.teamId })).toMatchObject([
      { text: "One", received: 1 },
    ]);
    const swap = await write(connection, record("Two"), { rkey, swapRecord: first.cid });
    expect((await swap.json<Written>()).cid).not.toBe(first.cid);
    expect((await write(connection, record("Three"), { rkey })).status).toBe(200);
    expect(await sandbox().listPosts({ teamId: connection.teamId })).toMatchObject([
      { text: "Three", received: 3 },
    ]);
  });

  it("needs a record key", async () => {
    const reply = await write(await connect(), record("No key"), { rkey: undefined });
    expect(await readError(reply)).toMatchObject({ status: 400, error: "InvalidRequest" });
  });

  it("accepts texts at the limit in graphemes and in bytes", async () => {
    const connection = await connect();
    const family = "👨‍👩‍👧‍👦";
    for (const text of ["ü".repeat(300), family.repeat(120), ""]) {
      expect((await write(connection, record(text))).status).toBe(200);
    }
  });
});

describe("createRecord", () => {
  it("chooses a key, and answers 500 where one is in use", async () => {
    const connection = await connect();
    const create = (rkey?: string) =>
      write(connection, record("Created"), { rkey }, "createRecord");
    const written = await (await create()).json<Written>();
    const rkey = written.uri.split("/").at(-1) ?? "";
    expect(rkey).toMatch(/^[2-7a-z]{13}$/);
    expect(await readError(await create(rkey))).toMatchObject({
      status: 500,
      error: "InternalServerError",
    });
    expect((await create()).status).toBe(200);
    expect(await sandbox().listPosts({ teamId: connection.teamId })).toHaveLength(2);
  });
});

describe("getRecord and deleteRecord", () => {
  it("know what is there and what is not", async () => {
    const connection = await connect();
    const { session, fetch } = connection;
    const rkey = uniqueTid();
    const remove = () =>
      fetch(xrpc("com.atproto.repo.deleteRecord"), {
        method: "POST",
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${session.accessJwt}`,
        },
        body: JSON.stringify({ repo: session.did, collection: "app.bsky.feed.post", rkey }),
      });
    expect(await readError(await getRecord(connection, rkey))).toMatchObject({
      status: 400,
      error: "RecordNotFound",
    });
    await write(connection, record("Soon gone"), { rkey });
    expect((await getRecord(connection, rkey)).status).toBe(200);
    expect((await remove()).status).toBe(200);
    expect((await remove()).status).toBe(200);
    expect((await getRecord(connection, rkey)).status).toBe(400);
    expect(await sandbox().listPosts({ teamId: connection.teamId })).toEqual([]);
  });
});

describe("the record rules", () => {
  const REF = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
  const blob = (more: Record<string, unknown> = {}) => ({
    $type: "blob",
    ref: { $link: REF },
    mimeType: "image/png",
    size: 64,
    ...more,
  });
  const image = (more: Record<string, unknown> = {}) => ({ image: blob(), alt: "", ...more });

  it.each<[string, Record<string, unknown>, string]>([
    ["another type", { $type: "app.bsky.feed.like" }, "$.record.$type"],
    ["no text", { text: undefined }, 'Missing required key "text" at $.record'],
    ["301 graphemes", { text: "a".repeat(301) }, "grapheme too big (maximum 300, got 301)"],
    ["3,001 bytes", { text: "👨‍👩‍👧‍👦".repeat(121) }, "string too big (maximum 3000, got 3025)"],
    ["a date without a time", { createdAt: "2026-09-18" }, "Invalid datetime"],
    ["no date", { createdAt: undefined }, 'Missing required key "createdAt"'],
    ["an unknown field", { title: "x" }, 'Unexpected key "title" at $.record'],
    ["four languages", { langs: ["a", "b", "c", "d"] }, "array too big (maximum 3, got 4)"],
    ["a language that is none", { langs: ["english!"] }, "Invalid language"],
    ["a facet past the end", { facets: [facet(0, 6, TAG)] }, "Invalid byte range (0 to 6 of 5)"],
    ["an empty facet", { facets: [facet(2, 2, TAG)] }, "Invalid byte range (2 to 2 of 5)"],
    ["a facet backwards", { facets: [facet(3, 2, TAG)] }, "Invalid byte range (3 to 2 of 5)"],
    ["a facet before the text", { facets: [facet(-1, 2, TAG)] }, "integer too small"],
    [
      "overlapping facets",
      { facets: [facet(0, 3, TAG), facet(2, 4, LINK)] },
      "Overlapping byte range",
    ],
    ["half a character", { text: "ü1234", facets: [facet(1, 3, TAG)] }, "splits a character"],
    ["a link that is none", { facets: [facet(0, 2, { ...LINK, uri: "x" })] }, "Invalid uri"],
    [
      "a tag too long",
      { facets: [facet(0, 2, { ...TAG, tag: "t".repeat(65) })] },
      "grapheme too big (maximum 64, got 65)",
    ],
    ["an unknown feature", { facets: [facet(0, 2, { $type: "x" })] }, "features[0].$type"],
    ["an unknown embed", { embed: { $type: "app.bsky.embed.nothing" } }, "embed.$type"],
    [
      "five images",
      images(image(), image(), image(), image(), image()),
      "array too big (maximum 4, got 5)",
    ],
    ["an image without alt", images({ image: blob() }), 'Missing required key "alt"'],
    [
      "an image too large",
      images(image({ image: blob({ size: 2_000_001 }) })),
      "blob too big (maximum 2000000, got 2000001) at $.record.embed.images[0].image",
    ],
    [
      "a pdf as image",
      images(image({ image: blob({ mimeType: "application/pdf" }) })),
      '"image/*"',
    ],
    ["a blob that is none", images(image({ image: "x" })), "images[0].image"],
    ["a flat image", images(image({ aspectRatio: { width: 0, height: 1 } })), "integer too small"],
    ["labels without a type", { labels: { values: [] } }, 'Missing required key "$type"'],
    ["nine tags", { tags: Array(9).fill("t") }, "array too big (maximum 8, got 9)"],
    ["a reply to nothing", { reply: {} }, 'Missing required key "root"'],
  ])("refuse %s", async (_, more, words) => {
    const connection = await connect();
    const refused = await readError(await write(connection, record("Hello", more)));
    expect(refused).toMatchObject({ status: 400, error: "InvalidRequest" });
    expect(refused.message).toMatch(/^Invalid app\.bsky\.feed\.post record: .+ at \$\.record/);
    expect(refused.message).toContain(words);
    expect(await sandbox().listPosts({ teamId: connection.teamId })).toEqual([]);
  });

  it("refuse a file that was never uploaded, or is another account's", async () => {
    const connection = await connect();
    const foreign = await uploadImage(await connect(), png(70, unique()));
    for (const given of [blob(), foreign]) {
      const reply = await write(connection, record("x", images({ image: given, alt: "" })));
      expect(await readError(reply)).toMatchObject({ status: 400, error: "BlobNotFound" });
    }
  });

  it.each([
    ["InvalidMimeType", { mimeType: "image/jpeg" }],
    ["InvalidSize", { size: 63 }],
  ])("refuse a reference that was altered (%s)", async (error, more) => {
    const connection = await connect();
    const altered = { ...(await uploadImage(connection)), ...more };
    const reply = await write(connection, record("x", images({ image: altered, alt: "" })));
    expect(await readError(reply)).toMatchObject({ status: 400, error });
  });

  it.each([
    ["another collection", { collection: "app.bsky.feed.like" }],
    ["a key that is no TID", { rkey: "my-post" }],
    ["a repository that does not exist", { repo: "did:plc:nobody" }],
  ])("refuse %s", async (_, more) => {
    const reply = await write(await connect(), record("x"), more);
    expect(await readError(reply)).toMatchObject({ status: 400, error: "InvalidRequest" });
  });
});
