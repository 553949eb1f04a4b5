import type { Context } from "hono";
import { formatCount } from "../../core/counts.ts";
import { AppError, notFound } from "../../core/errors.ts";
import { Fact } from "../../pages/fact.tsx";
import { clockOf, Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { getPostFigures } from "../analytics/period.ts";
import { METRICS } from "../analytics/rules/counters.ts";
import { type ArchivedPost, findArchived } from "../archive/read.ts";
import { KEPT_MONTHS, monthOf } from "../archive/rules.ts";
import type { PageEnv } from "../auth/signed-in.ts";
import { postPath } from "./analytics/view.ts";
import { NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import type { Shown } from "./refusals.ts";
import type { WholeUpload } from "./repo.ts";
import { Content, Facts, Timeline, toFile } from "./upload-parts.tsx";
import { adviceFor, wordsOfUpload } from "./words.ts";

/**
 * Shows a post that is not in the database any more.
 *
 * @throws AppError NOT_FOUND; UNAVAILABLE for a damaged archive
 */
export async function showArchived(
  c: Context<PageEnv>,
  id: number,
  { notice, status, zone }: Shown & { zone: string | null },
): Promise<Response> {
  const { ctx } = c.var;
  const archived = await findArchived(ctx, id);
  if (!archived) throw notFound("Upload");
  const upload = toWhole(archived);
  const files = await Promise.all(upload.media.map((item) => toFile(ctx, upload.teamId, item)));
  const figures = await figuresOf(c, upload);
  const clock = clockOf(zone);
  const month = monthOf(upload.sortAt);
  return renderOwnPage(
    c,
    { title: `Post ${id}`, here: "/app/uploads", status },
    <>
      <p>
        <a href={`/app/uploads?archived=${month}`}>Posts of {month}</a>
      </p>
      <h1>Post {id}, archived</h1>
      <NoticeLine notice={notice} />
      <Section id="state" title="State">
        <p>
          <State {...wordsOfUpload(upload)} /> on {platformName(upload.platform)} as{" "}
          {upload.accountName ?? "an account that is gone"}
        </p>
        {upload.status === "failed" && upload.failureCode !== null && (
          <>
            {upload.errorMessage && <p class="text">{upload.errorMessage}</p>}
            <p>{adviceFor(upload.failureCode)}</p>
          </>
        )}
        {upload.metadata?.shareUrl && !upload.isSimulated && !upload.unpublishedAt && (
          <p>
            <a href={upload.metadata.shareUrl} rel="noreferrer">
              Open the post on {platformName(upload.platform)}
            </a>
          </p>
        )}
        <p class="muted">
          The post ended more than {KEPT_MONTHS} months ago. It can be read, and no longer changed
          here.
        </p>
      </Section>
      {figures && (
        <Section id="figures" title="Figures">
          <dl>
            {METRICS.map((metric, i) => (
              <Fact name={metric}>{shownCount(figures.counters[i])}</Fact>
            ))}
            <Fact name="read">
              <Time at={figures.readAt} clock={clock} />
            </Fact>
          </dl>
          <p>
            <a href={postPath(upload.accountId, figures.post.id)}>All figures of the post</a>
          </p>
        </Section>
      )}
      <Content upload={upload} files={files} />
      <Timeline upload={upload} events={[]} clock={clock} />
      <Facts upload={upload} clock={clock} />
    </>,
  );
}

const shownCount = (count: number | null | undefined): string =>
  count == null ? "not measured" : formatCount(count);

const toWhole = ({ post, found, account }: ArchivedPost): WholeUpload => ({
  ...post,
  media: found.upload.media,
  accountName: account?.accountName ?? null,
  isConnected: account !== null && account.deletedAt === null,
  isSimulated: account?.mode === "sandbox",
  creator: null,
});

/** Null without figures, and for a team whose plan has none. */
async function figuresOf(c: Context<PageEnv>, { accountId, metadata }: WholeUpload) {
  if (!metadata) return null;
  try {
    return await getPostFigures(c.var.ctx, accountId, metadata.videoId);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
