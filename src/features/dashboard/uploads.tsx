import { Hono } from "hono";
import { formatCount } from "../../core/counts.ts";
import { AppError } from "../../core/errors.ts";
import { toPagination } from "../../core/pagination.ts";
import { isPlatform } from "../../core/platforms.ts";
import { isBrokenText } from "../../core/text.ts";
import type { UploadFilter } from "../../core/upload-filter.ts";
import { UPLOAD_STATUSES, type UploadStatus } from "../../core/upload-status.ts";
import type { Ctx } from "../../deps.ts";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, clockOf, dayIn } from "../../pages/times.tsx";
import { PLATFORM_NAMES } from "../../platforms/registry.ts";
import { listArchived } from "../archive/read.ts";
import { type ArchivedMonth, archivedMonths } from "../archive/repo.ts";
import { isMonth, KEPT_MONTHS } from "../archive/rules.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { uploadCount } from "../posts/repo/read.ts";
import { mayApprove } from "../posts/rules.ts";
import type { UploadWithAccount } from "../posts/table.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { Button, Choice, InputField } from "./form-parts.tsx";
import { doneNotice, NoticeLine, renderOwnPage, Section, UploadList } from "./parts.tsx";
import { SHOWN_CHARACTERS, type UploadLine, uploadLines } from "./repo.ts";
import { STATUS_WORDS } from "./words.ts";

export const uploadsPage = new Hono<PageEnv>();

const PAGE_SIZES = [25, 50, 100] as const;
const DEFAULT_SIZE = 50;
const MAX_SEARCH_CHARACTERS = 1_000;
const MAX_PAGE = 1_000_000;

/** Unset fields are empty. */
type FilterFields = Record<
  "archived" | "status" | "platform" | "search" | "from" | "to" | "zone" | "limit",
  string
>;

function readFilter(query: Record<string, string>): {
  fields: FilterFields;
  filter: UploadFilter;
  /** The month of the archive that is shown in place of the posts in the database. */
  archived: string | undefined;
  mistakes: string[];
} {
  const field = (name: string) => (query[name] ?? "").trim();
  const fields: FilterFields = {
    archived: field("archived"),
    status: field("status"),
    platform: field("platform"),
    search: field("search"),
    from: field("from"),
    to: field("to"),
    zone: field("zone"),
    limit: field("limit"),
  };
  const mistakes: string[] = [];
  const clock = clockOf(fields.zone || null);
  /** Reports and ignores an invalid value. */
  const take = <T,>(text: string, value: T | null | undefined, mistake: string): T | undefined => {
    if (text === "") return undefined;
    if (value === null || value === undefined) mistakes.push(mistake);
    return value ?? undefined;
  };
  const { status, platform, search } = fields;
  const isSearch = search.length <= MAX_SEARCH_CHARACTERS && !isBrokenText(search);
  const size = Number(fields.limit || DEFAULT_SIZE);
  const page = field("page") || "1";
  const isPage = /^[1-9]\d{0,6}$/.test(page) && Number(page) <= MAX_PAGE;
  const filter: UploadFilter = {
    status: take(
      status,
      UPLOAD_STATUSES.find((one) => one === status),
      "There is no such state.",
    ),
    platform: take(platform, isPlatform(platform) ? platform : null, "There is no such platform."),
    search: take(
      search,
      isSearch ? search : null,
      `Search for at most ${MAX_SEARCH_CHARACTERS} characters.`,
    ),
    startDate: take(
      fields.from,
      dayIn(fields.from, clock)?.first,
      "Write the first day as 2026-12-01.",
    ),
    endDate: take(fields.to, dayIn(fields.to, clock)?.last, "Write the last day as 2026-12-01."),
    limit: PAGE_SIZES.find((one) => one === size) ?? DEFAULT_SIZE,
    page: take(page, isPage ? Number(page) : null, "There is no such page.") ?? 1,
  };
  const archived = take(
    fields.archived,
    isMonth(fields.archived) ? fields.archived : null,
    "Write the month of the archive as 2025-03.",
  );
  return { fields, filter, archived, mistakes };
}

const DONE_MESSAGES: Record<string, string> = { removed: "The post has been removed." };

uploadsPage.get("/app/uploads", signedIn("read:pages"), async (c) => {
  const { ctx } = c.var;
  const { team } = ctx;
  const query = c.req.query();
  const { fields, filter, archived, mistakes } = readFilter(query);
  const [[zone = null], months, ofDatabase, [count = 0]] = await ctx.read("posts:read", [
    zoneOfTeam({ team }),
    archivedMonths({ team }),
    uploadLines(team, filter),
    uploadCount(team, filter),
  ]);
  const ofMonth = archived === undefined ? null : await readArchive(ctx, archived, filter);
  if (ofMonth?.mistake) mistakes.push(ofMonth.mistake);
  const { uploads, total } = ofMonth ?? { uploads: ofDatabase, total: count };
  const clock = clockOf(zone);
  const refused = mistakes.length > 0 ? { text: mistakes.join(" "), isRefusal: true } : null;
  return renderOwnPage(
    c,
    { title: "Posts", here: "/app/uploads" },
    <>
      <h1>{archived === undefined ? "Posts" : `Posts of ${archived}, archived`}</h1>
      <NoticeLine notice={refused ?? doneNotice(DONE_MESSAGES, query.done)} />
      {archived === undefined && (
        <div class="row">
          {mayApprove(ctx.actor) && (
            <>
              <TeamForm action="/app/reviews">
                <input type="hidden" name="all" value="1" />
                <Button tone="quiet">Make a review link for all that wait</Button>
              </TeamForm>
              <a class="button quiet" href="/app/reviews">
                Review links
              </a>
            </>
          )}
          <a class="button quiet" href="/app/import">
            Import a sheet
          </a>
          <a class="button quiet" href="/app/feeds">
            Feeds
          </a>
        </div>
      )}
      <FilterForm fields={fields} clock={clock} />
      <Section id="found" title={total === 1 ? "1 post" : `${total} posts`}>
        {uploads.length > 0 ? (
          <UploadList uploads={uploads} clock={clock} />
        ) : (
          <Nothing fields={fields} total={total} archived={archived} months={months} />
        )}
      </Section>
      <Pages fields={fields} filter={filter} total={total} />
      <ArchivedMonths months={months} shown={archived} />
    </>,
  );
});

/** The refusal of a search that is too large is shown on the page. */
async function readArchive(ctx: Ctx, month: string, filter: UploadFilter) {
  try {
    const { posts, total } = await listArchived(ctx, month, filter);
    return { uploads: posts.map(toLine), total, mistake: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { uploads: [], total: 0, mistake: error.message };
  }
}

function toLine({ upload, account }: UploadWithAccount): UploadLine {
  const { id, platform, status, scheduledFor, createdAt, uploadedAt, unpublishedAt } = upload;
  return {
    id,
    platform,
    status,
    scheduledFor,
    createdAt,
    uploadedAt,
    unpublishedAt,
    failureCode: upload.failureCode,
    text: (upload.title || upload.description || "").slice(0, SHOWN_CHARACTERS),
    errorMessage: upload.errorMessage?.slice(0, SHOWN_CHARACTERS) ?? null,
    accountName: account?.accountName ?? null,
  };
}

const ArchivedMonths = ({
  months,
  shown,
}: {
  months: readonly ArchivedMonth[];
  shown: string | undefined;
}) =>
  months.length > 0 && (
    <Section id="archive" title="Archive">
      <p class="muted">
        Posts move here {KEPT_MONTHS} months after they ended. They can be read, and no longer
        changed. {shown !== undefined && <a href="/app/uploads">Go to the newer posts</a>}
      </p>
      <ul class="list">
        {months.map(({ month, posts }) => (
          <li>
            <a
              class="grow"
              href={`/app/uploads?archived=${month}`}
              aria-current={month === shown ? "page" : undefined}
            >
              {month}
            </a>
            <span class="muted">{posts === 1 ? "1 post" : `${formatCount(posts)} posts`}</span>
          </li>
        ))}
      </ul>
    </Section>
  );

const addressOf = (fields: FilterFields, page: number): string => {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== "") params.set(name, value);
  if (page > 1) params.set("page", String(page));
  return params.size > 0 ? `/app/uploads?${params}` : "/app/uploads";
};

const wordsOf = (status: UploadStatus) => STATUS_WORDS[status].text;

const FilterForm = ({ fields, clock }: { fields: FilterFields; clock: Clock }) => (
  <form class="card filters" method="get" action="/app/uploads" aria-label="Filter">
    <Choice
      name="status"
      label="State"
      chosen={fields.status}
      options={[["", "All"], ...UPLOAD_STATUSES.map((one) => [one, wordsOf(one)] as const)]}
    />
    <Choice
      name="platform"
      label="Platform"
      chosen={fields.platform}
      options={[["", "All"], ...PLATFORM_NAMES]}
    />
    <InputField id="search" label="Text" type="search" value={fields.search} />
    <InputField id="from" label="First day" type="date" value={fields.from} />
    <InputField id="to" label="Last day" type="date" value={fields.to} />
    <Choice
      name="limit"
      label="On a page"
      chosen={fields.limit || String(DEFAULT_SIZE)}
      options={PAGE_SIZES.map((size) => [String(size), String(size)] as const)}
    />
    {fields.archived !== "" && <input type="hidden" name="archived" value={fields.archived} />}
    {clock.zone !== null && <input type="hidden" name="zone" value={clock.zone} />}
    <p class="row">
      <button type="submit">Show</button>
      <a class="button quiet" href="/app/uploads">
        Show all
      </a>
    </p>
  </form>
);

const Nothing = ({
  fields,
  total,
  archived,
  months,
}: {
  fields: FilterFields;
  total: number;
  archived: string | undefined;
  months: readonly ArchivedMonth[];
}) => {
  if (total > 0) {
    return (
      <p class="muted">
        The list ends before this page. <a href={addressOf(fields, 1)}>Go to its beginning</a>.
      </p>
    );
  }
  const isFiltered = Object.entries(fields).some(
    ([name, value]) => value !== "" && name !== "zone" && name !== "limit" && name !== "archived",
  );
  if (isFiltered) {
    return (
      <p class="muted">
        No upload matches. Use fewer filters, or <a href="/app/uploads">show all</a>.
      </p>
    );
  }
  if (archived !== undefined) {
    return (
      <p class="muted">
        Nothing is archived in {archived}.{" "}
        {months.length > 0 ? (
          <>
            Choose a month of the <a href="#archive">archive</a>, or go to{" "}
          </>
        ) : (
          `Posts move to the archive ${KEPT_MONTHS} months after they ended. Go to `
        )}
        <a href="/app/uploads">the newer posts</a>.
      </p>
    );
  }
  return (
    <p class="muted">
      There are no uploads yet. Create one with <code>POST /upload</code>: see the{" "}
      <a href="/docs">API reference</a>.
    </p>
  );
};

const Pages = (props: { fields: FilterFields; filter: UploadFilter; total: number }) => {
  const { page, limit } = props.filter;
  const { totalPages } = toPagination(props.total, page, limit);
  if (totalPages < 2) return null;
  return (
    <nav class="row" aria-label="Pages of the list">
      {page > 1 && (
        <a
          class="button quiet"
          rel="prev"
          href={addressOf(props.fields, Math.min(page - 1, totalPages))}
        >
          Previous
        </a>
      )}
      <span class="muted">
        Page {page} of {totalPages}
      </span>
      {page < totalPages && (
        <a class="button quiet" rel="next" href={addressOf(props.fields, page + 1)}>
          Next
        </a>
      )}
    </nav>
  );
};
