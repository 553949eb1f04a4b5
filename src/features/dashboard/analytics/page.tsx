import { type Context, Hono } from "hono";
import { notFound } from "../../../core/errors.ts";
import { publicOrigin } from "../../../http/env.ts";
import { readNumericId } from "../../../http/ids.ts";
import { readForm, textField } from "../../../http/pages.tsx";
import { islandPath } from "../../../pages/app-layout.tsx";
import { BrandStripe, STRIPE_STYLES } from "../../../pages/brand.tsx";
import { type Clock, clockOf } from "../../../pages/times.tsx";
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
import { getPeriodAndReports, mayRevoke, reportPath } from "../../reports/service.ts";
import { logoPath } from "../../settings/rules.ts";
import { Choice } from "../form-parts.tsx";
import { formCall } from "../once.ts";
import { doneNotice, NoticeLine, renderOwnPage } from "../parts.tsx";
import { attempt, readFields, type Shown } from "../refusals.ts";
import { csvAddress, Freshness, ownLinks, Parts, periodInWords, Trouble } from "./parts.tsx";
import { sendNoPicture } from "./pictures.ts";
import { ReportLinks, type SentReport } from "./report-links.tsx";
import { periodInFile, sendCsv } from "./send-csv.ts";
import { ANALYTICS_STYLES } from "./styles.ts";
import { csvTable, TABLES } from "./tables.ts";
import { addressOf, PATH, readFilter, requireFilter } from "./view.ts";

export const analyticsPage = new Hono<PageEnv>();

const DONE_MESSAGES: Record<string, string> = {
  made: "The link is made. Copy its address below, and send it to your client.",
  revoked: "The link is revoked. Its address leads nowhere from now on.",
};

analyticsPage.get(PATH, signedIn("read:pages"), (c) =>
  showAnalytics(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

analyticsPage.post(`${PATH}/reports`, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { filter } = readFilter(c.req.query());
  const [title, lastDay, expiresInDays] = ["title", "lastDay", "expiresInDays"].map((name) =>
    textField(form, name),
  ) as [string, string, string];
  const { createReport, newReportSchema, toNewReport } = await import("../actions.ts");
  const refused = await attempt(() => {
    const { account, ...chosen } = filter;
    const fields = Object.entries({ ...chosen, accountId: account, title, lastDay });
    const input = readFields(newReportSchema, {
      ...Object.fromEntries(fields.filter(([, value]) => value !== "")),
      expiresInDays: Number(expiresInDays),
    });
    return createReport(c.var.ctx, toNewReport(input), formCall(c));
  });
  if (!refused) return c.redirect(`${addressOf(filter, "", { done: "made" })}#reports`, 303);
  const refusal = refused.notice?.text ?? "";
  return showAnalytics(c, { ...refused, sent: { title, lastDay, expiresInDays, refusal } });
});

analyticsPage.post(`${PATH}/reports/:id/revoke`, signedIn("destructive"), async (c) => {
  const id = readNumericId(c.req.param("id"), "Report");
  const { filter } = readFilter(c.req.query());
  const { revokeReport } = await import("../actions.ts");
  const refused = await attempt(() => revokeReport(c.var.ctx, id));
  if (refused) return showAnalytics(c, refused);
  return c.redirect(`${addressOf(filter, "", { done: "revoked" })}#reports`, 303);
});

interface AnalyticsShown extends Shown {
  sent?: SentReport;
}

async function showAnalytics(c: Context<PageEnv>, shown: AnalyticsShown): Promise<Response> {
  const { ctx } = c.var;
  const { filter, mistakes } = readFilter(c.req.query());
  const { period, reports } = await getPeriodAndReports(ctx, filter);
  const clock = clockOf(period.zone);
  const mistake = mistakes.length > 0 ? { text: mistakes.join(" "), isRefusal: true } : null;
  const origin = publicOrigin(ctx, c.req.url);
  const addresses = await Promise.all(
    reports.map(async ({ id }) => origin + (await reportPath(ctx, id))),
  );
  return renderOwnPage(
    c,
    {
      ...{ title: "Analytics", here: PATH, status: shown.status },
      styles: ANALYTICS_STYLES + STRIPE_STYLES,
      scripts: [islandPath("analytics")],
    },
    <>
      <PrintedBrand branding={period.branding} />
      <h1>Analytics</h1>
      <NoticeLine notice={shown.notice ?? mistake} />
      {period.accounts.length === 0 ? <NoAccounts /> : <Figures period={period} clock={clock} />}
      {(period.chosen > 0 || reports.length > 0) && (
        <ReportLinks
          {...{ period, reports, addresses, clock }}
          mayRevoke={(report) => mayRevoke(ctx, report)}
          sent={shown.sent ?? null}
        />
      )}
    </>,
  );
}

const Figures = ({ period, clock }: { period: Period; clock: Clock }) => (
  <>
    <Filters period={period} />
    {period.chosen === 0 ? (
      <p class="card">
        No account fits this choice. Choose another, or <a href={PATH}>show all accounts</a>.
      </p>
    ) : (
      <>
        <p class="lead">{periodInWords(period)}</p>
        <Freshness period={period} clock={clock} />
        <Trouble period={period} clock={clock} />
        <Splits filter={period.filter} />
        <p class="muted unprinted">
          Print this page, or save it as PDF, to hand it on as a report with the name and logo of{" "}
          <a href="/app/settings">your settings</a>. Or <a href="#reports">send it as a link</a>.
        </p>
        <Parts period={period} clock={clock} links={ownLinks(csvAddress(period))} />
      </>
    )}
  </>
);

const PrintedBrand = ({ branding }: Pick<Period, "branding">) =>
  branding && (
    <div class="printed">
      <BrandStripe color={branding.color} />
      <p>
        {branding.logo && <img src={logoPath(branding.logo)} alt="" height="48" />}{" "}
        {branding.name && <strong>{branding.name}</strong>}
      </p>
    </div>
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
    const filter = requireFilter(c.req.query());
    const period = await getPeriod(c.var.ctx, filter);
    const wanted = c.req.query("part") || null;
    const part = period.parts.find(({ platform }) => platform === wanted);
    if (!part) throw notFound("Table");
    return sendCsv(c, csvTable(name, period, part), periodInFile(period, part));
  });
}

/** A page names pictures by posts, so that it needs no second read. */
analyticsPage.get(`${PATH}/pictures/:id`, signedIn("read:pictures"), async (c) => {
  const address = await thumbnailOf(c.var.ctx, readNumericId(c.req.param("id"), "Upload"));
  return address === null ? sendNoPicture(c) : c.redirect(address, 303);
});
