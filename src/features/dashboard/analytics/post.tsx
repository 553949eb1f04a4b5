import { Hono } from "hono";
import { notFound } from "../../../core/errors.ts";
import { islandPath } from "../../../pages/app-layout.tsx";
import { type Clock, clockOf, Time } from "../../../pages/times.tsx";
import { platformName } from "../../../platforms/registry.ts";
import {
  type AnalyticsPost,
  getAccountPeriod,
  getPostFigures,
  PERIODS,
} from "../../analytics/period.ts";
import { engagementIn, METRICS } from "../../analytics/rules/counters.ts";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import { isWebLink } from "../../settings/rules.ts";
import { cut, NoticeLine, renderOwnPage, Section } from "../parts.tsx";
import { Chart, shown } from "./chart.tsx";
import { Freshness, ownLinks, PartView, Tile, Trouble } from "./parts.tsx";
import { periodInFile, sendCsv, tableName } from "./send-csv.ts";
import { ANALYTICS_STYLES } from "./styles.ts";
import { capital, csvTable, type Drawn, dayTable, TABLES } from "./tables.ts";
import { accountPath, PATH, picturePath, postPath, readFilter, requireFilter } from "./view.ts";

export const postFiguresPage = new Hono<PageEnv>();

const look = { here: PATH, styles: ANALYTICS_STYLES, scripts: [islandPath("analytics")] } as const;

const MAX_POSTS = 50;

const POST_MEASURES = ["views", "engagement"] as const;

postFiguresPage.get(`${PATH}/accounts/:id`, signedIn("read:pages"), async (c) => {
  const { filter, mistakes } = readFilter(c.req.query());
  const id = c.req.param("id");
  const { account, period, posts } = await getAccountPeriod(c.var.ctx, id, filter.days);
  const clock = clockOf(period.zone);
  const notice = mistakes.length > 0 ? { text: mistakes.join(" "), isRefusal: true } : null;
  const csv = (name: string) => `${accountPath(id)}/${name}.csv?period=${filter.days}`;
  const name = `${account.accountName} on ${platformName(account.platform)}`;
  return renderOwnPage(
    c,
    { title: `Figures of ${account.accountName}`, ...look },
    <>
      <p>
        <a href={PATH}>All accounts</a>
      </p>
      <h1>{name}</h1>
      <NoticeLine notice={notice} />
      <nav class="views" aria-label="Periods">
        {PERIODS.map((days) => (
          <a
            class="button quiet"
            href={`${accountPath(id)}?period=${days}`}
            aria-current={days === filter.days ? "true" : undefined}
          >
            {days} days
          </a>
        ))}
      </nav>
      <Freshness period={period} clock={clock} />
      <Trouble period={period} clock={clock} />
      {period.parts.map((part) => (
        <PartView period={period} part={part} clock={clock} links={ownLinks(csv)} />
      ))}
      <Section id="posts" title="Newest posts">
        {posts.length === 0 ? (
          <p class="muted">No post is known so far.</p>
        ) : (
          <ul class="list">
            {posts.slice(0, MAX_POSTS).map((post) => (
              <PostLine post={post} clock={clock} />
            ))}
          </ul>
        )}
        {posts.length > MAX_POSTS && (
          <p class="muted">
            The {MAX_POSTS} newest of {posts.length} known posts.
          </p>
        )}
      </Section>
      <p>
        <a href={`/app/accounts/${encodeURIComponent(id)}`}>Login and tags of this account</a>
      </p>
    </>,
  );
});

const PostLine = ({ post, clock }: { post: AnalyticsPost; clock: Clock }) => (
  <li>
    <span class="grow">
      <a href={postPath(post.accountId, post.id)}>{cut(post.title) || "Without text"}</a>
      <br />
      <span class="muted">
        <Time at={new Date(post.publishedAt)} clock={clock} />
      </span>
    </span>
    <span>
      {shown(post.views)} views, {shown(post.engagement)} likes, comments and shares
    </span>
  </li>
);

postFiguresPage.get(`${PATH}/accounts/:id/:table`, signedIn("read:pages"), async (c) => {
  const { id, table } = c.req.param();
  const filter = requireFilter(c.req.query());
  const { period } = await getAccountPeriod(c.var.ctx, id, filter.days);
  const [part] = period.parts;
  const name = tableName(table);
  if (!TABLES.includes(name) || !part) throw notFound("Table");
  return sendCsv(c, csvTable(name, period, part), periodInFile(period, part));
});

type PostDays = Awaited<ReturnType<typeof getPostFigures>>["days"];

const drawnPost = (days: PostDays): Drawn => ({
  unit: "day",
  isTotal: true,
  lines: [
    {
      ...{ name: "", platform: null },
      days: days.map(({ marks, ...day }) => ({ ...day, gains: marks, followers: null })),
    },
  ],
});

postFiguresPage.get(
  `${PATH}/posts/:accountId/:postId/:table`,
  signedIn("read:pages"),
  async (c) => {
    const { accountId, postId, table } = c.req.param();
    const { account, days } = await getPostFigures(c.var.ctx, accountId, postId);
    const name = POST_MEASURES.find((measure) => measure === tableName(table));
    if (!name) throw notFound("Table");
    return sendCsv(c, dayTable(name, drawnPost(days), false), [
      account.accountName,
      account.platform,
      postId,
    ]);
  },
);

postFiguresPage.get(`${PATH}/posts/:accountId/:postId`, signedIn("read:pages"), async (c) => {
  const { accountId, postId } = c.req.param();
  const found = await getPostFigures(c.var.ctx, accountId, postId);
  const { account, post, counters, parts, readAt, days } = found;
  const clock = clockOf(found.zone);
  const csv = (name: string) => `${postPath(accountId, postId)}/${name}.csv`;
  const drawn = drawnPost(days);
  return renderOwnPage(
    c,
    { title: "Figures of a post", ...look },
    <>
      <p>
        <a href={accountPath(accountId)}>{account.accountName}</a>
      </p>
      <h1>{cut(post.title) || "A post without text"}</h1>
      <div class="best">
        <p class="muted">
          {account.accountName} on {platformName(post.platform)}, published{" "}
          <Time at={new Date(post.publishedAt)} clock={clock} />
          {parts > 1 && `. A thread of ${parts} posts, added up`}.
        </p>
      </div>
      {post.uploadId !== null && (
        <p class="files">
          <img src={picturePath(post.uploadId)} alt="" width="160" />
        </p>
      )}
      <dl class="tiles">
        {METRICS.map((metric, i) => (
          <Tile name={capital(metric)} value={counters[i] ?? null} />
        ))}
        <Tile name="Engagement" value={engagementIn(counters)} />
      </dl>
      <p class="muted">
        Since publication, as read on <Time at={readAt} clock={clock} />. Single days of a post are
        kept for two weeks after the last reading; before that, only the sum is.
      </p>
      <div class="charts">
        {POST_MEASURES.map((measure) => (
          <Chart
            id={measure}
            title={`${capital(measure)} since publication`}
            measure={measure}
            drawn={drawn}
            isSplit={false}
            csv={csv(measure)}
          />
        ))}
      </div>
      <p class="row">
        {post.uploadId !== null && (
          <a class="button quiet" href={`/app/uploads/${post.uploadId}`}>
            Open the post here
          </a>
        )}
        {post.url !== null && isWebLink(post.url) && (
          <a class="button quiet" href={post.url} rel="noopener noreferrer">
            Open it on {platformName(post.platform)}
          </a>
        )}
      </p>
    </>,
  );
});
