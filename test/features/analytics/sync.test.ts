import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import {
  connectSandbox,
  createMember,
  createToken,
  Harness,
  joinTeam,
  type Member,
} from "../../support/harness.ts";

let harness: Harness;
let owner: Member;

beforeEach(async () => {
  harness = new Harness();
  owner = await createMember();
});

const sync = (id: string, token = owner.token) =>
  harness.call("POST", `/analytics/${id}/sync`, { token });

/** A live YouTube account. `change` may spoil an answer. */
async function channel(videos: number, change = (_: string, body: unknown): unknown => body) {
  const calls: string[] = [];
  const reply = (url: URL): unknown => {
    if (url.pathname.endsWith("/channels")) {
      return {
        items: [
          {
            id: "UC1",
            snippet: { title: "Ada" },
            contentDetails: { relatedPlaylists: { uploads: "UU1" } },
            statistics: { subscriberCount: "123", hiddenSubscriberCount: false },
          },
        ],
      };
    }
    if (url.pathname.endsWith("/playlistItems")) {
      const from = Number(url.searchParams.get("pageToken") ?? 0);
      const ids = Array.from({ length: Math.min(50, videos - from) }, (_, i) => `v${from + i}`);
      const nextPageToken = from + 50 < videos ? String(from + 50) : undefined;
      return { items: ids.map((videoId) => ({ contentDetails: { videoId } })), nextPageToken };
    }
    const ids = (url.searchParams.get("id") ?? "").split(",");
    return {
      items: ids.map((id) => ({
        id,
        snippet: { title: `Video ${id}`, publishedAt: "2026-11-20T10:00:00Z" },
        statistics: { viewCount: "10", likeCount: "2", commentCount: "1" },
      })),
    };
  };
  harness.network = async (input, init) => {
    const url = new URL(new Request(input, init).url);
    calls.push(url.pathname);
    const body = change(url.pathname, reply(url));
    return typeof body === "string" ? new Response(body) : Response.json(body);
  };
  const answer = await harness.call("POST", "/accounts", {
    token: owner.token,
    json: { platform: "youtube", credentials: { accessToken: `token-${owner.teamId}` } },
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  calls.splice(0);
  return { id: answer.body.data.id as string, calls };
}

test("a sync reads the platform at once and answers the figures; again, nothing counts twice", async () => {
  const { id } = await channel(60);
  const first = await sync(id);
  expect(first.status).toBe(200);
  expect(first.body.data).toMatchObject({
    overview: { totalViews: 600, totalLikes: 120, totalComments: 60, totalShares: 0 },
    summary: { followers: { total: 123 } },
    neverSynced: false,
    syncErrors: [],
    lastRefreshedAt: "2026-12-01T09:00:00.000Z",
  });
  expect(first.body.data.videos).toHaveLength(60);
  const again = await sync(id);
  expect(again.body.data.overview).toEqual(first.body.data.overview);
  expect(again.body.data.dailyHistory).toEqual(first.body.data.dailyHistory);
});

test("what does not fit in one call goes on by the queue, which syncErrors says", async () => {
  const { id, calls } = await channel(1_200);
  const { body } = await sync(id);
  expect(calls.length).toBeLessThanOrEqual(36);
  const read = body.data.overview.videoCount;
  expect(read).toBeGreaterThan(400);
  expect(read).toBeLessThan(1_000);
  expect(body.data.syncErrors[0].message).toContain(`The newest ${read} posts were read`);
  await harness.drainCollections();
  const { data } = (await harness.call("GET", `/analytics/${id}`, { token: owner.token })).body;
  expect(data.overview.videoCount).toBe(1_000);
});

const spoil = (path: string, body: unknown) => (called: string, answer: unknown) =>
  called.endsWith(path) ? body : answer;

test.each<[string, (path: string, body: unknown) => unknown, number]>([
  ["HTML for the videos", spoil("/videos", "<html>Sorry</html>"), 0],
  ["HTML for the list", spoil("/playlistItems", "<html>Sorry</html>"), 0],
  [
    "a negative number, one that is none, and a fraction",
    (path, body) => {
      if (!path.endsWith("/videos")) return body;
      const { items } = body as { items: { statistics: Record<string, unknown> }[] };
      const odd = [-5, "NaN", 1.5, "1e9", { a: 1 }];
      return {
        items: items.map((item, i) =>
          i < odd.length ? { ...item, statistics: { viewCount: odd[i] } } : item,
        ),
      };
    },
    5,
  ],
  ["items that are no videos", spoil("/videos", { items: [null, 1, "x", {}] }), 0],
])("a platform that answers %s is told of, and the rest is collected", async (_, change, posts) => {
  const { id } = await channel(10, change);
  const { status, body } = await sync(id);
  expect(status).toBe(200);
  expect(body.data.syncErrors).toHaveLength(1);
  expect(body.data.overview.videoCount).toBe(posts);
  expect(body.data.summary.followers.total).toBe(123);
});

test.each<[string, unknown]>([
  ["HTML", "<html>Sorry</html>"],
  ["a negative number", { items: [{ statistics: { subscriberCount: "-4" } }] }],
  ["a list of nothing of that kind", { items: [7] }],
])(
  "followers that are answered with %s are told of, and the posts are collected",
  async (_, answer) => {
    let calls = 0;
    const { id } = await channel(10, (path, body) =>
      // The first call, while connecting, reads the channel.
      path.endsWith("/channels") && calls++ === 1 ? answer : body,
    );
    const { status, body } = await sync(id);
    expect(status).toBe(200);
    expect(body.data.syncErrors).toMatchObject([
      { message: expect.stringContaining("Followers: ") },
    ]);
    expect(body.data.overview.videoCount).toBe(10);
    expect(body.data.summary.followers.total).toBe(null);
  },
);

test("views that shrink are told of, gain nothing, and are counted once when they come back", async () => {
  let views = ["100", "100"];
  const { id } = await channel(2, (path, body) => {
    if (!path.endsWith("/videos")) return body;
    const { items } = body as { items: object[] };
    return {
      items: items.map((item, i) => ({
        ...item,
        statistics: { viewCount: views[i], likeCount: "2", commentCount: "1" },
      })),
    };
  });
  const messages: string[][] = [];
  for (const next of [
    ["100", "100"],
    ["40", "130"],
    ["40", "130"],
    ["110", "130"],
  ]) {
    views = next;
    const { body } = await sync(id);
    messages.push(body.data.syncErrors.map(({ message }: { message: string }) => message));
    harness.advance(86_400);
  }
  const message =
    "The platform reports fewer views than before for 1 post. Gains are counted on from the highest number.";
  expect(messages).toEqual([[], [message], [], []]);
  const { data } = (await harness.call("GET", `/analytics/${id}`, { token: owner.token })).body;
  expect(data.dailyHistory.map((day: { views: number }) => day.views)).toEqual([null, 30, 0, 10]);
  expect(data.overview).toMatchObject({ totalViews: 240, videoCount: 2 });
});

test("a platform that does not answer at all leaves what was known", async () => {
  const { id } = await channel(3);
  await sync(id);
  harness.network = () => Promise.reject(new TypeError("Network connection lost."));
  const { status, body } = await sync(id);
  expect(status).toBe(200);
  expect(body.data.overview.videoCount).toBe(3);
  expect(body.data.syncErrors.length).toBeGreaterThan(0);
});

test("members may not sync, nor strangers; an account that is expired is refused, and named", async () => {
  const id = await connectSandbox(harness, owner);
  const { userId } = await createMember();
  await joinTeam(owner.teamId, userId, "MEMBER");
  const member = await createToken(userId, { teamId: owner.teamId });
  const refused = await sync(id, member);
  expect([refused.status, refused.body.code]).toEqual([403, "FORBIDDEN"]);
  expect((await sync(id, (await createMember()).token)).status).toBe(403);
  await env.DB.prepare("UPDATE accounts SET status = 'expired' WHERE id = ?").bind(id).run();
  const { status, body } = await sync(id);
  expect([status, body.code]).toEqual([409, "ACCOUNT_INACTIVE"]);
  const { body: shown } = await harness.call("GET", `/analytics/${id}`, { token: owner.token });
  expect(shown.data.syncErrors).toMatchObject([
    { accountId: id, message: expect.stringMatching(/is expired\. Reconnect the account/) },
  ]);
});

test("x is read once a day", async () => {
  const id = await connectSandbox(harness, owner, "Ada", "x");
  const at = async () => (await sync(id)).body.data.lastRefreshedAt;
  const first = await at();
  harness.advance(3_600);
  expect(await at()).toBe(first);
  harness.advance(24 * 3_600);
  expect(await at()).not.toBe(first);
});

test("syncs at the same time count once", async () => {
  const { id } = await channel(5);
  const answers = await Promise.all([sync(id), sync(id), sync(id)]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await sync(id)).body.data.overview).toMatchObject({ videoCount: 5, totalViews: 50 });
});

test("a sync and the night's collection at the same time are both taken in", async () => {
  const { id } = await channel(5);
  const { teamId } = owner;
  const message = { kind: "collect" as const, teamId, accountId: id, collection: "2026-12-01" };
  const [answer] = await Promise.all([sync(id), harness.consume([message])]);
  expect(answer.status).toBe(200);
  const row = await env.DB.prepare(
    "SELECT version, night, bookmark FROM analytics WHERE account_id = ?",
  )
    .bind(id)
    .first();
  expect(row).toEqual({ version: 2, night: "2026-12-01", bookmark: null });
  expect((await sync(id)).body.data.overview).toMatchObject({ videoCount: 5, totalViews: 50 });
});

test("a date that people have made up stays within the life of the networks", async () => {
  const dates = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-11-20T10:00:00Z"];
  const { id } = await channel(3, (path, body) => {
    if (!path.endsWith("/videos")) return body;
    const { items } = body as { items: { snippet: object }[] };
    return {
      items: items.map((item, i) => ({
        ...item,
        snippet: { title: "Odd", publishedAt: dates[i] },
      })),
    };
  });
  const { body } = await sync(id);
  expect(body.data.videos.map(({ publishedAt }: { publishedAt: string }) => publishedAt)).toEqual([
    "2026-12-01T09:00:00.000Z",
    "2026-11-20T10:00:00.000Z",
    "2004-01-01T00:00:00.000Z",
  ]);
});
