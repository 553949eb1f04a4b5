import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { type PostizPosts, plainText, readPostizPosts, toRows } from "../../src/cli/postiz.ts";

const NOW = new Date("2026-12-01T09:00:00.000Z");

/** As Postiz answers: docs.postiz.com, and `getPosts` of its repository. */
const POSTS = {
  posts: [
    {
      id: "cm1",
      content: "<p>Hello &amp; welcome</p><p>Second line</p>",
      publishDate: "2026-12-24T17:00:00.000Z",
      releaseURL: null,
      state: "QUEUE",
      intervalInDays: null,
      integration: { id: "int-1", providerIdentifier: "bluesky", name: "Ada", picture: null },
    },
    {
      id: "cm2",
      content: "Out already",
      publishDate: "2026-12-02T09:00:00.000Z",
      state: "PUBLISHED",
      integration: { id: "int-1", providerIdentifier: "bluesky", name: "Ada" },
    },
    {
      id: "cm3",
      content: "Each week",
      publishDate: "2026-12-08T09:00:00.000Z",
      state: "QUEUE",
      intervalInDays: 7,
      integration: { id: "int-2", providerIdentifier: "linkedin-page", name: "The company" },
    },
  ],
};

const INTEGRATIONS = [
  { id: "int-1", name: "Ada", identifier: "bluesky", profile: "ada.example", disabled: false },
  { id: "int-2", name: "The company", identifier: "linkedin-page", profile: null },
];

async function withPostiz(run: (url: string, asked: URL[]) => Promise<void>): Promise<void> {
  const asked: URL[] = [];
  const server = createServer((request, answer) => {
    const url = new URL(request.url ?? "/", "http://postiz");
    asked.push(url);
    const isKnown = request.headers.authorization === "key-1";
    const body = url.pathname.endsWith("/posts") ? POSTS : INTEGRATIONS;
    answer.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    answer.end(JSON.stringify(isKnown ? body : { msg: "Invalid API key" }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  try {
    await run(`http://127.0.0.1:${port}/public/v1/`, asked);
  } finally {
    server.close();
  }
}

test("reads what is planned in the next months, with the accounts", async () => {
  await withPostiz(async (url, asked) => {
    const found = await readPostizPosts({ url, key: "key-1" }, NOW);
    assert.deepEqual(
      found.posts.map(({ id }) => id),
      ["cm1", "cm3"],
    );
    const [integrations, posts] = asked;
    assert.equal(integrations?.pathname, "/public/v1/integrations");
    assert.equal(posts?.searchParams.get("startDate"), "2024-12-01T09:00:00.000Z");
    assert.equal(posts?.searchParams.get("endDate"), "2027-05-31T09:00:00.000Z");
  });
});

test("a refused key and another service's answer are told", async () => {
  await withPostiz(async (url) => {
    await assert.rejects(readPostizPosts({ url, key: "wrong" }, NOW), /401 .*Invalid API key/);
    const other = { url: `${url}elsewhere/posts?`, key: "key-1" };
    await assert.rejects(readPostizPosts(other, NOW), /not that of Postiz's public API/);
  });
});

test("rows are drafts with dates to come, for accounts by their handle, or else their name", () => {
  const passed = {
    ...POSTS.posts[1],
    id: "cm4",
    state: "DRAFT",
    publishDate: "2026-11-01T09:00:00Z",
  };
  const found = { posts: [...POSTS.posts, passed], integrations: INTEGRATIONS } as PostizPosts;
  const rows = toRows(found, NOW);
  assert.deepEqual(rows[1], [
    "bluesky:ada.example",
    "postiz:cm1",
    "Hello & welcome\nSecond line",
    "2026-12-24T17:00:00.000Z",
    "draft",
  ]);
  assert.deepEqual(rows[3]?.slice(0, 2), [
    "linkedin:The company",
    "postiz:cm3:2026-12-08T09:00:00.000Z",
  ]);
  assert.deepEqual(rows[4]?.slice(3), ["", "draft"]);
});

test("texts lose their tags, and keep their lines", () => {
  assert.equal(plainText("<p>One<br>two</p><ul><li>three</li></ul>"), "One\ntwo\nthree");
  assert.equal(plainText("1 < 2 &lt;3"), "1 < 2 <3");
});
