import { describe, expect, test } from "vitest";
import { PLATFORMS, type Platform } from "../../src/core/platforms.ts";
import type { MetricsJob } from "../../src/platforms/metrics.ts";
import { connectorOf } from "../../src/platforms/registry.ts";

const NOW = new Date("2026-11-22T03:00:00Z");
const MADE = "2026-11-20T10:00:00Z";
const PAGE_URN = "urn:li:organization:7";
const DID = "did:plc:ada";

/** A platform's answers about its posts. */
interface Row {
  metric: "views" | "likes";
  account?: string;
  service?: string;
  id(i: number): string;
  answer(url: URL, numbers: unknown[]): unknown;
  /** The body without counters. */
  bare?(url: URL, count: number): unknown;
  followers: unknown;
}

const ids = (numbers: unknown[], id: (i: number) => string) => numbers.map((_, i) => id(i));
const insight = (name: string, value: unknown) => ({ name, values: [{ value }] });

/** Without a row: the platform tells followers alone. */
const ROWS: Partial<Record<Platform, Row>> = {
  tiktok: {
    metric: "views",
    id: (i) => `70${i}`,
    followers: { data: { user: { follower_count: 12 } }, error: { code: "ok" } },
    answer: (_, numbers) => ({
      data: {
        videos: numbers.map((view_count, i) =>
          odd(view_count, { id: `70${i}`, create_time: 1_790_000_000, title: "A", view_count }),
        ),
        has_more: false,
      },
      error: { code: "ok" },
    }),
  },
  instagram: {
    metric: "views",
    id: (i) => `70${i}`,
    followers: { followers_count: 12 },
    answer: (url, numbers) =>
      url.pathname.endsWith("/insights")
        ? Object.fromEntries(
            numbers.map((value, i) => [`70${i}`, { data: [insight("views", value)] }]),
          )
        : {
            data: numbers.map((value, i) =>
              odd(value, { id: `70${i}`, timestamp: MADE, like_count: 1, comments_count: 1 }),
            ),
          },
  },
  facebook: {
    metric: "views",
    id: (i) => `7_70${i}`,
    followers: { followers_count: 12 },
    answer: (_, numbers) => ({
      data: numbers.map((value, i) =>
        odd(value, {
          id: `7_70${i}`,
          created_time: MADE,
          message: "A",
          insights: { data: [insight("post_media_view", value)] },
        }),
      ),
    }),
  },
  youtube: {
    metric: "views",
    id: (i) => `70${i}`,
    followers: { items: [{ statistics: { subscriberCount: "12" } }] },
    answer: (url, numbers) => {
      if (url.pathname.endsWith("/channels")) {
        return {
          items: [
            {
              id: "7",
              contentDetails: { relatedPlaylists: { uploads: "UU" } },
              snippet: { title: "A" },
            },
          ],
        };
      }
      if (url.pathname.endsWith("/playlistItems")) {
        const videos = ids(numbers, (i) => `70${i}`);
        return { items: videos.map((videoId) => ({ contentDetails: { videoId } })) };
      }
      return {
        items: numbers.map((viewCount, i) =>
          odd(viewCount, {
            id: `70${i}`,
            snippet: { title: "A", publishedAt: MADE },
            statistics: { viewCount },
          }),
        ),
      };
    },
  },
  linkedin: {
    metric: "views",
    account: PAGE_URN,
    id: (i) => `urn:li:share:70${i}`,
    followers: { firstDegreeSize: 12 },
    answer: (url, numbers) =>
      url.pathname.endsWith("/posts")
        ? {
            elements: numbers.map((_, i) => ({
              id: `urn:li:share:70${i}`,
              commentary: "A",
              createdAt: Date.parse(MADE),
            })),
          }
        : {
            elements: numbers.map((impressionCount, i) =>
              odd(impressionCount, {
                share: `urn:li:share:70${i}`,
                totalShareStatistics: { impressionCount },
              }),
            ),
          },
  },
  pinterest: {
    metric: "views",
    id: (i) => `70${i}`,
    followers: { follower_count: 12 },
    answer: (_, numbers) => ({
      items: numbers.map((impression, i) =>
        odd(impression, {
          id: `70${i}`,
          created_at: "2026-11-20T10:00:00",
          title: "A",
          pin_metrics: { lifetime_metrics: { impression, save: 1 } },
        }),
      ),
      bookmark: null,
    }),
  },
  bluesky: {
    metric: "likes",
    account: DID,
    id: (i) => `at://${DID}/app.bsky.feed.post/70${i}`,
    followers: { followersCount: 12 },
    answer: (_, numbers) => ({
      feed: numbers.map((likeCount, i) =>
        odd(likeCount, {
          post: {
            uri: `at://${DID}/app.bsky.feed.post/70${i}`,
            author: { did: DID },
            likeCount,
            record: { text: "A", createdAt: MADE },
          },
        }),
      ),
    }),
  },
  threads: {
    metric: "views",
    id: (i) => `70${i}`,
    followers: { data: [{ name: "followers_count", total_value: { value: 12 } }] },
    answer: (_, numbers) => ({
      data: numbers.map((value, i) =>
        odd(value, {
          id: `70${i}`,
          timestamp: MADE,
          text: "A",
          insights: { data: [insight("views", value)] },
        }),
      ),
    }),
  },
  x: {
    metric: "views",
    id: (i) => `70${i}`,
    followers: { data: { public_metrics: { followers_count: 12 } } },
    answer: (_, numbers) => ({
      data: numbers.map((impression_count, i) =>
        odd(impression_count, {
          id: `70${i}`,
          text: "A",
          created_at: MADE,
          public_metrics: { impression_count },
        }),
      ),
    }),
  },
  mastodon: {
    metric: "likes",
    account: "7@mastodon.test",
    service: "https://mastodon.test",
    id: (i) => `70${i}`,
    followers: { id: "7", username: "ada", followers_count: 12 },
    answer: (url, numbers) =>
      url.searchParams.has("max_id")
        ? []
        : numbers.map((favourites_count, i) =>
            odd(favourites_count, {
              id: `70${i}`,
              created_at: MADE,
              content: "<p>A</p>",
              favourites_count,
            }),
          ),
  },
  discord: {
    metric: "likes",
    account: "channels/1/7",
    id: (i) => `70${i}`,
    followers: { approximate_member_count: 12 },
    answer: (_, numbers) =>
      numbers.map((count, i) => odd(count, { id: `70${i}`, reactions: [{ count }] })),
  },
};

/** Replaces an item of the list by something unreadable. */
class Instead {
  readonly item: unknown;
  constructor(item: unknown) {
    this.item = item;
  }
}

const odd = (number: unknown, item: object): unknown =>
  number instanceof Instead ? number.item : item;

const rows = PLATFORMS.flatMap((platform): [Platform, Row][] => {
  const row = ROWS[platform];
  return row ? [[platform, row]] : [];
});

test("every platform with counters has a row", () => {
  const counting = PLATFORMS.filter(
    (platform) => (connectorOf(platform).metrics?.counts.length ?? 0) > 0,
  );
  expect(rows.map(([platform]) => platform)).toEqual(counting);
});

const readerOf = (platform: Platform) => {
  const { metrics } = connectorOf(platform);
  if (!metrics) throw new Error(`${platform} has no reader.`);
  return metrics;
};

function jobOf(row: Row, reply: (url: URL) => Response | Promise<Response>): MetricsJob {
  return {
    account: { platformAccountId: row.account ?? "7", handle: "ada", service: row.service ?? null },
    accessToken: "token",
    fetch: async (input, init) => reply(new URL(new Request(input, init).url)),
    own: [0, 1, 2].map((i) => ({
      id: row.id(i),
      publishedAt: new Date(MADE),
      text: "A",
      url: null,
    })),
    now: () => NOW,
  };
}

const jsonOf = (row: Row, numbers: unknown[]) =>
  jobOf(row, (url) => Response.json(row.answer(url, numbers)));

describe.each(rows)("%s", (platform, row) => {
  const { readPage, readFollowers, counts } = readerOf(platform);

  test("tells followers and posts", async () => {
    const followers = await readFollowers(jobOf(row, () => Response.json(row.followers)));
    expect(followers).toEqual({ ok: true, value: 12 });
    const page = await readPage(jsonOf(row, [10, 20, 30]), null);
    if (!page.ok) throw new Error(JSON.stringify(page.error));
    expect(page.value.problems ?? []).toEqual([]);
    expect(page.value.cursor).toBeNull();
    expect(page.value.posts.map(({ id, counters }) => [id, counters[row.metric]])).toEqual(
      [10, 20, 30].map((number, i) => [row.id(i), number]),
    );
    for (const [name, value] of Object.entries(page.value.posts[0]?.counters ?? {})) {
      if (!(counts as string[]).includes(name)) expect(value, name).toBeNull();
    }
  });

  test.each<[string, unknown]>([
    ["a negative number", -5],
    ["a number that is none", "NaN"],
    ["a fraction", 1.5],
    ["an object", { a: 1 }],
    ["an exponent", "1e9"],
    ["null in the place of a post", new Instead(null)],
    ["a number in the place of a post", new Instead(7)],
    ["a post without anything", new Instead({})],
  ])("%s is told of, and the rest is read", async (_, number) => {
    const page = await readPage(jsonOf(row, [number, 20, 30]), null);
    if (!page.ok) throw new Error(JSON.stringify(page.error));
    const outcome = page.value.posts.flatMap(({ counters }) => counters[row.metric] ?? []);
    expect(outcome.filter((count) => count > 0)).toEqual([20, 30]);
    expect(page.value.problems).toHaveLength(1);
  });

  test("a post without its numbers is one that is not measured", async () => {
    const page = await readPage(jsonOf(row, [undefined, 20]), null);
    if (!page.ok) throw new Error(JSON.stringify(page.error));
    expect(page.value.posts.map(({ counters }) => counters[row.metric])).toEqual([null, 20]);
  });

  const isList = Array.isArray(row.answer(new URL("https://platform.test"), []));

  test.each<[string, () => Response]>([
    ["HTML", () => new Response("<html>Sorry</html>")],
    ["nothing", () => new Response("")],
    ...(isList ? [] : [["a list", () => Response.json([])] as [string, () => Response]]),
    ["an outage", () => new Response("Bad gateway", { status: 502 })],
    ["too many calls", () => Response.json({ error: { code: 4 } }, { status: 429 })],
  ])("%s is a refusal in words", async (_, reply) => {
    for (const read of [readFollowers, (job: MetricsJob) => readPage(job, null)]) {
      const answer = await read(jobOf(row, reply));
      expect(answer).toMatchObject({
        ok: false,
        error: { kind: "failed", failure: { message: expect.stringMatching(/./) } },
      });
    }
  });

  test("text in the place of a list is a refusal in words", async () => {
    const body = { data: "x", items: "x", feed: "x", elements: "x" };
    const answer = await readPage(
      jobOf(row, () => Response.json(body)),
      null,
    );
    expect(answer).toMatchObject({ ok: false, error: { kind: "failed" } });
  });

  test("a refused login is a refused login", async () => {
    const body = {
      code: platform === "linkedin" ? "EXPIRED_ACCESS_TOKEN" : 2,
      message: "No.",
      error: { code: platform === "tiktok" ? "access_token_invalid" : 190, message: "No." },
    };
    const job = jobOf(row, () => Response.json(body, { status: 401 }));
    expect(await readFollowers(job)).toMatchObject({ ok: false });
  });
});
