import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { notFound } from "../../../core/errors.ts";
import { countVisitor } from "../../../http/caller.ts";
import type { AppContext, AppEnv } from "../../../http/env.ts";
import { toRefusal } from "../../../http/errors.ts";
import { renderPlainPage } from "../../../pages/app-layout.tsx";
import { BRAND_STYLES, Brand } from "../../../pages/brand.tsx";
import { type Clock, clockOf, Time } from "../../../pages/times.tsx";
import type { Period } from "../../analytics/period.ts";
import {
  findReport,
  findReportPicture,
  type OpenReport,
  reportPictureToken,
} from "../../reports/service.ts";
import { isWebLink, logoPath } from "../../settings/rules.ts";
import { type Links, Parts, periodInWords } from "./parts.tsx";
import { sendNoPicture } from "./pictures.ts";
import { ANALYTICS_STYLES } from "./styles.ts";

export const reportPages = new Hono<AppEnv>();

reportPages.get("/report/:token", async (c) => {
  await countVisitor(c, "read:report");
  const { deps } = c.var;
  const open = await findReport(deps, c.req.param("token"));
  if (!open) throw notFound("Report");
  return showReport(c, open);
});

reportPages.get("/report/:token/pictures/:picture", async (c) => {
  await countVisitor(c, "read:report-pictures");
  const { token, picture } = c.req.param();
  const address = await findReportPicture(c.var.deps, token, picture);
  return address === null ? sendNoPicture(c) : c.redirect(address, 303);
});

async function linksOf(c: AppContext, { parts }: Period): Promise<Links> {
  const uploadIds = parts.flatMap(({ posts }) =>
    posts.flatMap(({ uploadId }) => (uploadId === null ? [] : [uploadId])),
  );
  const pictures = new Map(
    await Promise.all(
      uploadIds.map(async (id) => {
        const picture = await reportPictureToken(c.var.deps, id);
        return [id, `${c.req.path}/pictures/${picture}`] as const;
      }),
    ),
  );
  return {
    csv: () => null,
    picture: (uploadId) => pictures.get(uploadId) ?? "",
    post: ({ url }) => (url !== null && isWebLink(url) ? url : null),
  };
}

async function showReport(c: AppContext, { report, period }: OpenReport): Promise<Response> {
  const clock = clockOf(period.zone);
  const links = await linksOf(c, period);
  const title = report.title ?? "Report";
  return renderReport(
    c,
    { title, branding: period.branding },
    <>
      <h1>{title}</h1>
      {period.chosen === 0 ? (
        <p class="card">
          None of the accounts that this report was made for is left. Ask the person who sent it to
          you for a new one.
        </p>
      ) : (
        <>
          <p class="lead">{periodInWords(period)}</p>
          <p class="muted">
            {report.lastDay === null &&
              `This page always shows the newest ${period.filter.days} days. `}
            <Age period={period} clock={clock} /> Days are days of UTC. The page is open until{" "}
            <Time at={report.expiresAt} clock={clock} />.
          </p>
          <Parts period={period} clock={clock} links={links} />
        </>
      )}
    </>,
  );
}

const Age = ({ period, clock }: { period: Period; clock: Clock }) => {
  const { lastRefreshedAt } = period.overview;
  if (lastRefreshedAt === null) return <>Nothing has been counted so far.</>;
  return (
    <>
      Last counted <Time at={new Date(lastRefreshedAt)} clock={clock} />.
    </>
  );
};

/** A report that is revoked, has expired or never was looks the same. */
export async function renderReportError(error: unknown, c: AppContext): Promise<Response> {
  const { status, message, headers } = toRefusal(error, c);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (status === 404) {
    return renderReport(
      c,
      { title: "This report is not here", status, branding: null },
      <>
        <h1>This report is not here</h1>
        <p>
          Its link has ended, or the address is not complete. Ask the person who sent it to you for
          a new one.
        </p>
      </>,
    );
  }
  const title = status < 500 ? "That did not work" : "Something broke";
  return renderReport(
    c,
    { title, status, branding: null },
    <>
      <h1>{title}</h1>
      <p role="alert">{message}</p>
    </>,
  );
}

const REPORT_STYLES = `${ANALYTICS_STYLES}${BRAND_STYLES}
.page { width: min(100% - 2rem, 60rem); }
h1 { overflow-wrap: anywhere; }
`;

interface ReportPage extends Pick<Period, "branding"> {
  title: string;
  status?: number;
}

function renderReport(
  c: AppContext,
  { title, status = 200, branding }: ReportPage,
  content: Child,
): Promise<Response> {
  const site = branding?.name ?? "Report";
  return renderPlainPage(
    c,
    { title, status, site, styles: REPORT_STYLES, isSecret: true },
    <>
      {branding && <Brand {...branding} logo={branding.logo && logoPath(branding.logo)} />}
      {content}
    </>,
  );
}
