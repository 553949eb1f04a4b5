import type { Child } from "hono/jsx";
import { type Clock, Time } from "../../../pages/times.tsx";
import { platformName } from "../../../platforms/registry.ts";
import type { BestPost, Part, Period } from "../../analytics/period.ts";
import { cut, Section } from "../parts.tsx";
import { Chart, DataTable, dayName, FoldedTable, shown } from "./chart.tsx";
import { HeatMap, hoursInWords } from "./heat-map.tsx";
import { drawnOf, postTable, summaryTable, tableOf } from "./tables.ts";
import { addressOf, picturePath, postPath } from "./view.ts";

/** Address of a table's CSV. */
export type CsvOf = (name: string, part: Part) => string | null;

export interface Links {
  csv: CsvOf;
  picture(uploadId: number): string;
  post(post: BestPost): string | null;
}

export const ownLinks = (csv: CsvOf): Links => ({
  csv,
  picture: picturePath,
  post: ({ accountId, id }) => postPath(accountId, id),
});

export const csvAddress =
  ({ filter }: Period): CsvOf =>
  (name, { platform }) =>
    addressOf(filter, `/${name}.csv`, { part: platform ?? "" });

export const Tile = (props: { name: string; value: number | null; children?: Child }) => (
  <div>
    <dt>{props.name}</dt>
    {props.value === null ? (
      <dd class="value none">not measured</dd>
    ) : (
      <dd class="value">{shown(props.value)}</dd>
    )}
    {props.children && <dd class="delta">{props.children}</dd>}
  </div>
);

const Delta = ({ change, percent }: { change: number | null; percent: number | null }) => {
  if (change === null) return <>nothing to compare with</>;
  if (change === 0) return <>as many as before</>;
  const sign = change > 0 ? "+" : "−";
  return (
    <>
      <span class={change > 0 ? "up" : "down"}>
        {sign}
        {shown(Math.abs(change))}
      </span>
      {percent !== null && ` (${sign}${shown(Math.abs(percent))} %)`}
    </>
  );
};

export const Tiles = ({ period, part }: { period: Period; part: Part }) => (
  <dl class="tiles" aria-label={summaryTable(period, part).caption}>
    {summaryTable(period, part).rows.map(([name, current, , change, percent]) => (
      <Tile name={String(name)} value={current as number | null}>
        <Delta change={change as number | null} percent={percent as number | null} />
      </Tile>
    ))}
  </dl>
);

const MEASURES = ["views", "engagement", "followers"] as const;
const TITLES = { views: "Views", engagement: "Engagement", followers: "Followers" };
const NOTES = { engagement: "Likes, comments and shares together." };

export const Charts = ({ period, part, csv }: { period: Period; part: Part; csv: CsvOf }) => {
  const drawn = drawnOf(period, part);
  const isSplit = period.filter.split !== "none";
  return (
    <div class="charts">
      {MEASURES.map((measure) => (
        <Chart
          id={`${measure}-${part.platform ?? "all"}`}
          title={`${TITLES[measure]} by ${drawn.unit}`}
          measure={measure}
          drawn={drawn}
          isSplit={isSplit}
          csv={csv(measure, part)}
          {...(measure === "engagement" ? { note: NOTES.engagement } : {})}
        />
      ))}
      {part.undrawn > 0 && (
        <p class="muted">
          Lines of the {part.lines.length} accounts with most views. The others are in the table of
          accounts.
        </p>
      )}
    </div>
  );
};

interface BestPostsProps {
  part: Part;
  clock: Clock;
  links: Links;
}

const PostName = ({ post, links }: { post: BestPost; links: Links }) => {
  const [address, name] = [links.post(post), cut(post.title) || "Without text"];
  return address === null ? <strong>{name}</strong> : <a href={address}>{name}</a>;
};

const BEST_BY = [
  ["views", "Most viewed"],
  ["engagement", "Of the others, most likes, comments and shares"],
] as const;

const BestPostItem = ({
  post,
  clock,
  links,
}: Omit<BestPostsProps, "part"> & { post: BestPost }) => (
  <li>
    {post.uploadId === null ? (
      <span class="letter" aria-hidden="true">
        {platformName(post.platform).charAt(0)}
      </span>
    ) : (
      <img src={links.picture(post.uploadId)} alt="" width="72" height="72" loading="lazy" />
    )}
    <div>
      <PostName post={post} links={links} />
      <p class="muted">
        {post.accountName} · {platformName(post.platform)} ·{" "}
        <Time at={new Date(post.publishedAt)} clock={clock} />
      </p>
      <p>
        {post.counters[0] === null ? (
          "Views not measured"
        ) : (
          <>
            <strong>{shown(post.views)}</strong> views
          </>
        )}
        , {shown(post.engagement)} likes, comments and shares
      </p>
    </div>
  </li>
);

export const BestPosts = ({ part, clock, links }: BestPostsProps) => (
  <>
    {part.posts.length === 0 ? (
      <p class="muted">No measured post was published in this period.</p>
    ) : (
      <>
        {BEST_BY.map(([by, title]) => {
          const posts = part.posts.filter(({ bestBy }) => bestBy === by);
          return (
            posts.length > 0 && (
              <>
                <h3>{title}</h3>
                <ul class="best">
                  {posts.map((post) => (
                    <BestPostItem post={post} clock={clock} links={links} />
                  ))}
                </ul>
              </>
            )
          );
        })}
        <FoldedTable table={postTable(part)} csv={links.csv("posts", part)} />
      </>
    )}
  </>
);

export const Hours = ({ period, part, csv }: { period: Period; part: Part; csv: CsvOf }) => (
  <Section id={`hours-${part.platform ?? "all"}`} title="When posts are viewed most">
    <p>{hoursInWords(part)}</p>
    {part.figures.postingInsights.sampleSize > 0 && (
      <>
        <HeatMap part={part} />
        {["grid", "weekdays", "hours"].map((name) => (
          <FoldedTable table={tableOf(name, period, part)} csv={csv(name, part)} />
        ))}
      </>
    )}
  </Section>
);

export const Shown = (props: {
  id: string;
  title: string;
  name: string;
  period: Period;
  part: Part;
  csv: CsvOf;
  none: string;
  note?: string;
}) => {
  const table = tableOf(props.name, props.period, props.part);
  return (
    <Section id={`${props.id}-${props.part.platform ?? "all"}`} title={props.title}>
      {table.rows.length === 0 ? (
        <p class="muted">{props.none}</p>
      ) : (
        <DataTable table={table} csv={props.csv(props.name, props.part)} />
      )}
      {props.note && <p class="muted">{props.note}</p>}
    </Section>
  );
};

interface PartProps {
  period: Period;
  part: Part;
  clock: Clock;
  links: Links;
}

/** Everything about figures that may be added up. */
export const PartView = ({ period, part, clock, links }: PartProps) => {
  const isOne = part.accounts.length === 1;
  const { csv } = links;
  return (
    <>
      <Tiles period={period} part={part} />
      <FoldedTable table={summaryTable(period, part)} csv={csv("summary", part)} />
      <Charts period={period} part={part} csv={csv} />
      <Section id={`best-${part.platform ?? "all"}`} title="Best posts of this period">
        <BestPosts part={part} clock={clock} links={links} />
      </Section>
      {!isOne && (
        <Shown
          {...{ id: "accounts", title: "Accounts", name: "accounts", period, part, csv }}
          none="No account."
        />
      )}
      {part.platforms.length > 1 && (
        <Shown
          {...{ id: "platforms", title: "Platforms", name: "platforms", period, part, csv }}
          none="No platform."
        />
      )}
      <Hours period={period} part={part} csv={csv} />
      <div class="charts">
        <Shown
          {...{ id: "hashtags", title: "Hashtags", name: "hashtags", period, part, csv }}
          none="No known post has a hashtag."
        />
        <Shown
          {...{ id: "totals", title: "Since publication", name: "totals", period, part, csv }}
          none=""
          note="What a platform does not count is 0 here."
        />
      </div>
    </>
  );
};

export const Parts = ({ period, clock, links }: Omit<PartProps, "part">) => (
  <>
    {period.parts.map((part) =>
      part.platform === null ? (
        <PartView period={period} part={part} clock={clock} links={links} />
      ) : (
        <section class="beside" aria-labelledby={`beside-${part.platform}`}>
          <h2 id={`beside-${part.platform}`}>{platformName(part.platform)}, beside the others</h2>
          <p class="muted">
            The terms of {platformName(part.platform)} forbid to add its figures to those of other
            platforms. Everything above is without it.
          </p>
          <PartView period={period} part={part} clock={clock} links={links} />
        </section>
      ),
    )}
  </>
);

export function periodInWords({ filter, from, to, chosen }: Period): string {
  const accounts = chosen === 1 ? "One account" : `${chosen} accounts`;
  return `${accounts}, ${dayName(from)} to ${dayName(to - 1)}, compared with the ${filter.days} days before.`;
}

const MAX_ERRORS = 5;

/** What could not be read, and what to do about it. */
export const Trouble = ({ period, clock }: { period: Period; clock: Clock }) => {
  const { syncErrors } = period.overview;
  if (syncErrors.length === 0) return null;
  const rest = syncErrors.length - MAX_ERRORS;
  return (
    <section class="notice" aria-labelledby="trouble">
      <h2 id="trouble">Some figures could not be read</h2>
      <p>
        The next night tries again. Where a login has ended, open the account and reconnect it: its
        figures go on from there.
      </p>
      <ul>
        {syncErrors
          .slice(0, MAX_ERRORS)
          .map(({ accountId, accountName, platform, message, at }) => (
            <li>
              <a href={`/app/accounts/${encodeURIComponent(accountId)}`}>{accountName}</a> on{" "}
              {platformName(platform)}: {message} (<Time at={new Date(at)} clock={clock} />)
            </li>
          ))}
      </ul>
      {rest > 0 && <p>And {rest} more.</p>}
    </section>
  );
};

/** Why there are no figures yet, or how old they are. */
export const Freshness = ({ period, clock }: { period: Period; clock: Clock }) => {
  const { neverSynced, lastRefreshedAt } = period.overview;
  if (neverSynced || lastRefreshedAt === null) {
    return (
      <p class="notice">
        Nothing has been counted so far. Figures are collected every night from 03:00 UTC. The first
        night gives what posts have in all, the second what they gained. There is nothing to do.
      </p>
    );
  }
  return (
    <p class="muted">
      Last collected: <Time at={new Date(lastRefreshedAt)} clock={clock} />. Days are days of UTC
      and end with yesterday. <a href="/docs/analytics">What the numbers mean</a>.
    </p>
  );
};
