import { Hono } from "hono";
import { notFound } from "../../../core/errors.ts";
import { readNumericId } from "../../../http/ids.ts";
import { islandPath } from "../../../pages/app-layout.tsx";
import { clockOf } from "../../../pages/times.tsx";
import { PLATFORM_NAMES, platformName } from "../../../platforms/registry.ts";
import {
  getPeriod,
  PERIODS,
  type Period,
  type PeriodFilter,
  SPLITS,
} from "../../analytics/period.ts";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import { thumbnailOf } from "../../calendar/thumbnails.ts";
import { logoPath } from "../../settings/rules.ts";
import { Choice } from "../form-parts.tsx";
import { NoticeLine, renderOwnPage } from "../parts.tsx";
import { dayName } from "./chart.tsx";
import { csvAddress, Freshness, PartView, Trouble } from "./parts.tsx";
import { sendCsv } from "./send-csv.ts";
import { ANALYTICS_STYLES } from "./styles.ts";
import { csvTable, TABLES } from "./tables.ts";
import { addressOf, PATH, readFilter } from "./view.ts";

export const analyticsPage = new Hono<PageEnv>();

analyticsPage.get(PATH, signedIn("read:pages"), async (c) => {
  const { filter, mistakes } = readFilter(c.req.query());
  const period = await getPeriod(c.var.ctx, filter);
  const clock = clockOf(period.zone);
  const csv = csvAddress(period);
  const notice = mistakes.length > 0 ? { text: mistakes.join(" "), isRefusal: true } : null;
  return renderOwnPage(
    c,
    {
      title: "Analytics",
      here: PATH,
      styles: ANALYTICS_STYLES,
      scripts: [islandPath("analytics")],
    },
    <>
      <PrintedBrand branding={period.branding} />
      <h1>Analytics</h1>
      <NoticeLine notice={notice} />
      {period.accounts.length === 0 ? (
        <NoAccounts />
      ) : (
        <>
          <Filters period={period} />
          {period.chosen === 0 ? (
            <p class="card">
              No account fits this choice. Choose another, or <a href={PATH}>show all accounts</a>.
            </p>
          ) : (
            <>
              <p class="lead">{inWords(period)}</p>
              <Freshness period={period} clock={clock} />
              <Trouble period={period} clock={clock} />
              <Splits filter={filter} />
              <p class="muted unprinted">
                Print this page, or save it as PDF, to hand it on as a report with the name and logo
                of <a href="/app/settings">your settings</a>.
              </p>
              {period.parts.map((part) =>
                part.platform === null ? (
                  <PartView period={period} part={part} clock={clock} csv={csv} />
                ) : (
                  <section class="beside" aria-labelledby={`beside-${part.platform}`}>
                    <h2 id={`beside-${part.platform}`}>
                      {platformName(part.platform)}, beside the others
                    </h2>
                    <p class="muted">
                      The terms of {platformName(part.platform)} forbid to add its figures to those
                      of other platforms. Everything above is without it.
                    </p>
                    <PartView period={period} part={part} clock={clock} csv={csv} />
                  </section>
                ),
              )}
            </>
          )}
        </>
      )}
    </>,
  );
});

const PrintedBrand = ({ branding }: Pick<Period, "branding">) =>
  branding && (
    <p class="printed">
      {branding.logo && <img src={logoPath(branding.logo)} alt="" height="48" />}{" "}
      {branding.name && <strong>{branding.name}</strong>}
    </p>
  );

const NoAccounts = () => (
  <div class="card">
    <p>
      There is nothing to count so far. Connect an account: its posts, also those made elsewhere,
      are counted every night, and their figures stand here.
    </p>
    <p>
      <a class="button" href="/app/accounts">
        Connect an account
      </a>
    </p>
  </div>
);

function inWords({ filter, from, to, chosen }: Period): string {
  const accounts = chosen === 1 ? "One account" : `${chosen} accounts`;
  return `${accounts}, ${dayName(from)} to ${dayName(to - 1)}, compared with the ${filter.days} days before.`;
}

const tagsOf = ({ accounts }: Period): string[] =>
  [...new Set(accounts.flatMap(({ tags }) => tags.split(",").map((tag) => tag.trim())))]
    .filter(Boolean)
    .sort();

const Filters = ({ period }: { period: Period }) => {
  const { filter, accounts } = period;
  const platforms = new Set<string>(accounts.map(({ platform }) => platform));
  const isFiltered = [filter.account, filter.platform, filter.tag].some((value) => value !== "");
  return (
    <form class="card filters" method="get" action={PATH} aria-label="Filter">
      <Choice
        name="period"
        label="Period"
        chosen={String(filter.days)}
        options={PERIODS.map((days) => [String(days), `${days} days`] as const)}
      />
      <Choice
        name="account"
        label="Account"
        chosen={filter.account}
        options={[
          ["", "All"],
          ...accounts.map(
            ({ id, name, platform }) => [id, `${name} on ${platformName(platform)}`] as const,
          ),
        ]}
      />
      <Choice
        name="platform"
        label="Platform"
        chosen={filter.platform}
        options={[["", "All"], ...[...PLATFORM_NAMES].filter(([name]) => platforms.has(name))]}
      />
      <Choice
        name="tag"
        label="Tag"
        chosen={filter.tag}
        options={[["", "All"], ...tagsOf(period).map((tag) => [tag, tag] as const)]}
      />
      {filter.split !== "none" && <input type="hidden" name="split" value={filter.split} />}
      <p class="row">
        <button type="submit">Show</button>
        {isFiltered && (
          <a
            class="button quiet"
            href={addressOf({ ...filter, account: "", platform: "", tag: "" })}
          >
            Show all
          </a>
        )}
      </p>
    </form>
  );
};

const SPLIT_NAMES = { none: "All together", platform: "By platform", account: "By account" };

const Splits = ({ filter }: { filter: PeriodFilter }) => (
  <nav class="views" aria-label="Lines of the charts">
    {SPLITS.map((split) => (
      <a
        class="button quiet"
        href={addressOf({ ...filter, split })}
        aria-current={split === filter.split ? "true" : undefined}
      >
        {SPLIT_NAMES[split]}
      </a>
    ))}
  </nav>
);

for (const name of TABLES) {
  analyticsPage.get(`${PATH}/${name}.csv`, signedIn("read:pages"), async (c) => {
    const { filter } = readFilter(c.req.query());
    const period = await getPeriod(c.var.ctx, filter);
    const wanted = c.req.query("part") || null;
    const part = period.parts.find(({ platform }) => platform === wanted);
    if (!part) throw notFound("Table");
    return sendCsv(c, csvTable(name, period, part));
  });
}

const NO_PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 72 72"><path d="M20 24h32M20 36h32M20 48h18" stroke="#868da3" stroke-width="4" stroke-linecap="round"/></svg>`;

/** A page names pictures by posts, so that it needs no second read. */
analyticsPage.get(`${PATH}/pictures/:id`, signedIn("read:pictures"), async (c) => {
  const address = await thumbnailOf(c.var.ctx, readNumericId(c.req.param("id"), "Upload"));
  if (address !== null) return c.redirect(address, 303);
  return c.body(NO_PICTURE, 200, {
    "Content-Type": "image/svg+xml",
    "Content-Security-Policy": "default-src 'none'",
    "Cache-Control": "private, max-age=3600",
  });
});
