import { env } from "cloudflare:workers";
import type { Platform } from "../../src/core/platforms.ts";
import { DAY, SECOND } from "../../src/core/time.ts";
import { NOTHING, takeSync } from "../../src/features/analytics/rules/series.ts";
import { summarize } from "../../src/features/analytics/rules/summary.ts";
import { packSeries } from "../../src/features/analytics/stored.ts";
import { sealCredentials } from "../../src/features/logins/platform-access.ts";
import type { Fetch } from "../../src/platforms/connector.ts";
import type { Credentials } from "../../src/platforms/login.ts";
import { ALL, reading } from "../features/analytics/readings.ts";
import { type Harness, START } from "../support/harness.ts";

/** Posts of each account, all of them published through us. */
export const POSTS = 50;
const PUBLISHED = Date.parse("2026-11-20T10:00:00Z");
const TIME = "2026-11-20T10:00:00+0000";

const did = (i: number): string => `did:plc:${String(i).padStart(24, "a")}`;

/** The platform's own id of account `i`. */
const ACCOUNT_OF: Partial<Record<Platform, (i: number) => string>> = {
  linkedin: (i) => `urn:li:organization:${1 + i}`,
  bluesky: did,
  discord: (i) => `channels/1/${1 + i}`,
  mastodon: (i) => `${1 + i}@mastodon.example`,
};

/** The server of a login, on platforms that have many. */
const SERVER_OF: Partial<Record<Platform, string>> = { mastodon: "https://mastodon.example" };

const jwt = (claims: object) => `e30.${btoa(JSON.stringify(claims)).replaceAll("=", "")}.x`;

/** The id that a platform gives to post `i`. */
const ID_OF: Partial<Record<Platform, (i: number) => string>> = {
  facebook: (i) => `7_${1_000 + i}`,
  linkedin: (i) => `urn:li:share:${7_000_000_000 + i}`,
  bluesky: (i) => `at://${did(0)}/app.bsky.feed.post/${i}`,
};
const idOf = (platform: Platform, i: number): string =>
  ID_OF[platform]?.(i) ?? String(1_000_000_000 + i);

const each = (platform: Platform, make: (id: string) => object, from = 0, to = POSTS) =>
  Array.from({ length: to - from }, (_, i) => make(idOf(platform, from + i)));

type Answer = (url: URL, body: string) => object;

const insights = { data: [{ name: "views", values: [{ value: 110 }] }] };

/** Platforms each of whose accounts has `POSTS` posts, seen ten times more than the night before. */
const ANSWERS: Partial<Record<Platform, Answer>> = {
  youtube: ({ pathname }) => {
    if (pathname.endsWith("/playlistItems")) {
      return { items: each("youtube", (videoId) => ({ contentDetails: { videoId } })) };
    }
    if (pathname.endsWith("/videos")) {
      const snippet = { title: "A video", publishedAt: "2026-11-20T10:00:00Z" };
      const statistics = { viewCount: "110", likeCount: "12", commentCount: "1" };
      return { items: each("youtube", (id) => ({ id, snippet, statistics })) };
    }
    const contentDetails = { relatedPlaylists: { uploads: "UU1" } };
    const counts = { subscriberCount: "123", hiddenSubscriberCount: false };
    return { items: [{ id: "UC1", snippet: { title: "A" }, contentDetails, statistics: counts }] };
  },
  instagram: ({ pathname, searchParams }) => {
    if (pathname.endsWith("/insights")) {
      const ids = (searchParams.get("ids") ?? "").split(",");
      return Object.fromEntries(ids.map((id) => [id, insights]));
    }
    if (!pathname.endsWith("/media")) return { user_id: "7", followers_count: 12 };
    return { data: each("instagram", (id) => ({ id, timestamp: TIME, like_count: 12 })) };
  },
  threads: ({ pathname }) =>
    pathname.endsWith("/threads_insights")
      ? { data: [{ name: "followers_count", total_value: { value: 12 } }] }
      : { data: each("threads", (id) => ({ id, timestamp: TIME, insights })) },
  facebook: ({ pathname }) => {
    if (!pathname.endsWith("/published_posts")) return { id: "7", followers_count: 12 };
    const seen = { data: [{ name: "post_media_view", values: [{ value: 110 }] }] };
    return { data: each("facebook", (id) => ({ id, created_time: TIME, insights: seen })) };
  },
  tiktok: ({ pathname }, body) => {
    const error = { code: "ok" };
    if (!pathname.endsWith("/video/list/"))
      return { data: { user: { follower_count: 12 } }, error };
    const from = Number(JSON.parse(body).cursor ?? 0);
    const to = Math.min(POSTS, from + 20);
    const counts = { view_count: 110, like_count: 12, comment_count: 1, share_count: 1 };
    const make = (id: string) => ({ id, create_time: PUBLISHED / SECOND, ...counts });
    const videos = each("tiktok", make, from, to);
    return { data: { videos, cursor: to, has_more: to < POSTS }, error };
  },
  x: ({ pathname }) => {
    const followers = { public_metrics: { followers_count: 12 } };
    if (!pathname.endsWith("/tweets")) return { data: { id: "7", username: "a", ...followers } };
    const counts = { impression_count: 110, like_count: 12, reply_count: 1, retweet_count: 1 };
    const make = (id: string) => ({ id, text: "A post", created_at: TIME, public_metrics: counts });
    return { data: each("x", make) };
  },
  pinterest: ({ pathname }) => {
    if (!pathname.endsWith("/pins")) return { follower_count: 12 };
    const pin_metrics = { lifetime_metrics: { impression: 110, save: 1 } };
    const created_at = "2026-11-20T10:00:00";
    return {
      items: each("pinterest", (id) => ({ id, created_at, is_owner: true, pin_metrics })),
      bookmark: null,
    };
  },
  linkedin: ({ pathname }) => {
    if (pathname.includes("/networkSizes/")) return { firstDegreeSize: 12 };
    if (!pathname.endsWith("/organizationalEntityShareStatistics")) {
      return { elements: each("linkedin", (id) => ({ id, publishedAt: PUBLISHED })) };
    }
    const totalShareStatistics = {
      ...{ impressionCount: 110, likeCount: 12, commentCount: 1, shareCount: 1 },
    };
    return { elements: each("linkedin", (share) => ({ share, totalShareStatistics })) };
  },
  bluesky: ({ pathname, searchParams }) => {
    const author = { did: searchParams.get("actor") };
    if (!pathname.endsWith("getAuthorFeed")) return { ...author, handle: "a", followersCount: 12 };
    const record = { text: "A post", createdAt: "2026-11-20T10:00:00Z" };
    const counts = { likeCount: 12, repostCount: 1, replyCount: 1, quoteCount: 0 };
    return { feed: each("bluesky", (uri) => ({ post: { uri, author, record, ...counts } })) };
  },
  mastodon: ({ pathname, searchParams }) => {
    if (!pathname.endsWith("/statuses")) return { id: "1", username: "a", followers_count: 12 };
    const counts = { favourites_count: 12, replies_count: 1, reblogs_count: 1 };
    const make = (id: string) => ({ id, content: "A post", created_at: TIME, ...counts });
    const older = searchParams.get("max_id");
    return older === null ? each("mastodon", make, 0, 40) : each("mastodon", make, 40);
  },
  telegram: () => ({ ok: true, result: 12 }),
  discord: ({ pathname }) =>
    pathname.includes("/guilds/")
      ? { approximate_member_count: 12 }
      : each("discord", (id) => ({ id, reactions: [{ count: 12 }] })),
};

const HOUR_SECONDS = 3_600;
const YEAR_SECONDS = 365 * 86_400;

/** A new pair of tokens, each night's end a night later. */
const grant = () => ({
  ...{ access_token: `fresh-${Date.now()}`, token_type: "bearer", expires_in: HOUR_SECONDS },
  ...{ refresh_token: `next-${Date.now()}`, refresh_expires_in: YEAR_SECONDS },
});

const isTokenEndpoint = ({ pathname }: URL) => /\/token\/?$/.test(pathname);

/** The network of one platform. */
export const networkOf =
  (platform: Platform): Fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (isTokenEndpoint(url)) return Response.json(grant());
    return Response.json(ANSWERS[platform]?.(url, await request.text()) ?? {});
  };

const inDays = (days: number) => new Date(START.getTime() + days * DAY);

/** A login whose access token has ended; the end of its refresh token, where it has one. */
const ended = (refreshEndsAt: Date | null = null): Credentials => ({
  ...{ accessToken: "token", refreshToken: "refresh", expiresAt: START, refreshEndsAt },
});

/** Logins as a night finds them, of platforms whose access tokens live for hours only. */
const LOGINS: Partial<Record<Platform, Credentials>> = {
  youtube: ended(),
  tiktok: ended(inDays(300)),
  x: ended(),
  bluesky: {
    ...ended(inDays(60)),
    accessToken: jwt({ exp: START.getTime() / SECOND, sub: did(0) }),
    refreshToken: jwt({ exp: START.getTime() / SECOND + 60 * HOUR_SECONDS, sub: did(0) }),
  },
};

const loginOf = (platform: Platform): Credentials =>
  LOGINS[platform] ?? { accessToken: "token", refreshToken: null, expiresAt: inDays(40) };

interface Planted {
  teamId: number;
  platform: Platform;
  count: number;
}

/** Stores accounts that were read the night before, and their posts; answers the accounts' ids. */
export async function plantAccounts(
  { deps }: Harness,
  { teamId, platform, count }: Planted,
): Promise<string[]> {
  const at = START.getTime() - DAY;
  const posts = Array.from({ length: POSTS }, (_, i) =>
    reading(idOf(platform, i), at, [100, 10, 1, 0], PUBLISHED),
  );
  const before = takeSync(NOTHING, { at, posts, followers: 12 }, new Map(), ALL);
  const [series, summary, stored] = [
    ...[packSeries(before.series), summarize(before.posts), before.posts],
  ].map((part) => JSON.stringify(part));
  const ids = Array.from({ length: count }, (_, i) => `acc_night_${teamId}_${i}`);
  const rows = await Promise.all(
    ids.map(async (id, i) => {
      const { credentials, credentialsExpireAt, renewAt, loginEndsAt } = await sealCredentials(
        ...([deps, { teamId, id, platform }, loginOf(platform)] as const),
      );
      const [expiresAt, renew, ends] = [credentialsExpireAt, renewAt, loginEndsAt].map(
        (end) => end?.getTime() ?? null,
      );
      const own = ACCOUNT_OF[platform]?.(i) ?? String(1 + i);
      return { id, own, credentials, expiresAt, renew, ends };
    }),
  );
  const known = [teamId, platform, JSON.stringify(rows)];
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO accounts (id, team_id, platform, platform_account_id, account_name, mode, status,
         connected_at, service, credentials, credentials_expire_at, renew_at, login_ends_at)
       SELECT value ->> 'id', ?1, ?2, value ->> 'own', 'A', 'live', 'active', 0,
         ?4, value ->> 'credentials', value ->> 'expiresAt', value ->> 'renew', value ->> 'ends'
       FROM json_each(?3)`,
    ).bind(...known, SERVER_OF[platform] ?? null),
    env.DB.prepare(
      `INSERT INTO analytics SELECT ?1, value, 1, '2026-11-30', NULL, ?2, '[]', ?3, ?4
       FROM json_each(?5)`,
    ).bind(teamId, at, series, summary, JSON.stringify(ids)),
    env.DB.prepare("INSERT INTO analytics_posts SELECT ?1, value, ?2 FROM json_each(?3)").bind(
      teamId,
      stored,
      JSON.stringify(ids),
    ),
    env.DB.prepare(
      `INSERT INTO uploads (team_id, account_id, platform, status, status_group, settings, media,
         sort_at, created_at, counted_at, uploaded_at, metadata)
       SELECT ?1, a.value, ?2, 'completed', 'completed', '{}', '[]', ?3, ?3, ?3, ?3,
         json_object('videoId', p.value)
       FROM json_each(?4) a CROSS JOIN json_each(?5) p`,
    ).bind(
      teamId,
      platform,
      PUBLISHED,
      JSON.stringify(ids),
      JSON.stringify(posts.map(({ id }) => id)),
    ),
  ]);
  return ids;
}

/** Takes the accounts of a team away again, with all that is known of them. */
export async function removeAccounts(teamId: number): Promise<void> {
  await env.DB.batch(
    [
      "UPDATE accounts SET deleted_at = 1 WHERE team_id = ?",
      "DELETE FROM uploads WHERE team_id = ?",
    ].map((sql) => env.DB.prepare(sql).bind(teamId)),
  );
}
