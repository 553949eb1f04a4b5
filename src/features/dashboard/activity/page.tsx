import { Hono } from "hono";
import { type Clock, clockOf, Time } from "../../../pages/times.tsx";
import { ACTOR_KINDS, SUBJECTS } from "../../activity/actions.ts";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import { zoneOfTeam } from "../../settings/repo.ts";
import { Choice } from "../form-parts.tsx";
import { NoticeLine, renderOwnPage, Section } from "../parts.tsx";
import { linesBefore, linesSince, type ShownLine } from "./repo.ts";
import { ACTOR_CHOICES, actorOf, sentenceOf, TYPE_CHOICES } from "./words.ts";

export const activityPage = new Hono<PageEnv>();

const PATH = "/app/activity";
const ON_A_PAGE = 50;
const CURSOR = /^act_[0-9a-f]{28}$/;

type Fields = Record<"type" | "by" | "before" | "since", string>;

const ACTIVITY_STYLES = `
.filters .row { grid-column: auto; }
.activity > li { align-items: baseline; }
.activity time { color: var(--muted); font-size: .92rem; }
.pages { justify-content: space-between; }
`;

function readQuery(query: Record<string, string>) {
  const fields: Fields = {
    type: query.type ?? "",
    by: query.by ?? "",
    before: query.before ?? "",
    since: query.since ?? "",
  };
  const page = {
    type: SUBJECTS.find((one) => one === fields.type) ?? null,
    by: ACTOR_KINDS.find((one) => one === fields.by) ?? null,
    before: CURSOR.test(fields.before) ? fields.before : null,
    since: CURSOR.test(fields.since) ? fields.since : null,
  };
  const mistakes = [
    fields.type !== "" && page.type === null && "There is no such kind of change.",
    fields.by !== "" && page.by === null && "There is nobody of that kind.",
    (["before", "since"] as const).some((name) => fields[name] !== "" && page[name] === null) &&
      "There is no such page. You see the newest changes.",
  ].filter((one) => one !== false);
  return { page, mistakes };
}

activityPage.get(PATH, signedIn("read:pages"), async (c) => {
  const { ctx } = c.var;
  const { team } = ctx;
  const { page, mistakes } = readQuery(c.req.query());
  const look = page.since === null ? linesBefore : linesSince;
  const [[zone = null], found] = await ctx.read("team:read", [
    zoneOfTeam({ team }),
    look({ team, ...page, limit: ON_A_PAGE + 1 }),
  ]);
  const cut = found.slice(0, ON_A_PAGE);
  const lines = page.since === null ? cut : cut.reverse();
  const hasMore = found.length > ON_A_PAGE;
  const hasNewer = page.since === null ? page.before !== null : hasMore;
  const hasOlder = page.since === null ? hasMore : true;
  const addressOf = (places: Record<string, string>) => {
    const filters = Object.entries({ type: page.type, by: page.by, ...places });
    return `${PATH}?${new URLSearchParams(filters.flatMap(([name, value]) => (value ? [[name, value]] : [])))}`;
  };
  const [first, last] = [lines[0], lines.at(-1)];
  return renderOwnPage(
    c,
    { title: "Activity", here: PATH, styles: ACTIVITY_STYLES },
    <>
      <h1>Activity</h1>
      <NoticeLine
        notice={mistakes.length > 0 ? { text: mistakes.join(" "), isRefusal: true } : null}
      />
      <p>
        Who changed what in the team, kept for 13 months. New posts, and what became of them, stand
        on the page <a href="/app/uploads">Posts</a>.
      </p>
      <form class="card filters" method="get" action={PATH} aria-label="Filter">
        <Choice
          name="type"
          label="What"
          chosen={page.type ?? ""}
          options={[["", "Everything"], ...TYPE_CHOICES]}
        />
        <Choice
          name="by"
          label="By whom"
          chosen={page.by ?? ""}
          options={[["", "Everybody"], ...ACTOR_CHOICES]}
        />
        <p class="row">
          <button type="submit">Show</button>
          {(page.type ?? page.by) !== null && (
            <a class="button quiet" href={PATH}>
              Show everything
            </a>
          )}
        </p>
      </form>
      <Section id="lines" title={hasNewer ? "Earlier changes" : "Newest changes"}>
        {lines.length === 0 ? (
          <p>
            {(page.type ?? page.by) === null
              ? "There is no line yet. Changes are listed here from now on."
              : "There is nothing of this kind."}
          </p>
        ) : (
          <ol class="list activity">
            {lines.map((line) => (
              <LineItem line={line} clock={clockOf(zone)} />
            ))}
          </ol>
        )}
      </Section>
      {(hasNewer || hasOlder) && first && last && (
        <nav class="row pages" aria-label="Pages">
          {hasNewer && (
            <a class="button quiet" href={addressOf({ since: first.id })}>
              Newer
            </a>
          )}
          {hasOlder && (
            <a class="button quiet" href={addressOf({ before: last.id })}>
              Older
            </a>
          )}
        </nav>
      )}
    </>,
  );
});

const LineItem = ({ line, clock }: { line: ShownLine; clock: Clock }) => {
  const { before, subject, after } = sentenceOf(line);
  return (
    <li>
      <span class="grow">
        {actorOf(line)} {before}
        {subject?.page ? <a href={subject.page}>{subject.name}</a> : subject?.name}
        {after}
      </span>
      <Time at={line.at} clock={clock} />
    </li>
  );
};
