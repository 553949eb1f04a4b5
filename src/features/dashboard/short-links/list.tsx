import { type Context, Hono } from "hono";
import { toPagination } from "../../../core/pagination.ts";
import { isBrokenText, isLongerThan } from "../../../core/text.ts";
import { publicOrigin } from "../../../http/env.ts";
import { readForm } from "../../../http/pages.tsx";
import { TeamForm } from "../../../pages/team-form.tsx";
import { type PageEnv, signedIn } from "../../auth/signed-in.ts";
import {
  createLink,
  type ListedLink,
  listQueries,
  loadSchemas,
  shortUrlOf,
} from "../../links/own.ts";
import { domainsForLinks } from "../../links/repo/links.ts";
import { Button, InputField } from "../form-parts.tsx";
import { attemptForm, type FieldRefusals, NO_REFUSALS } from "../marked-fields.ts";
import { formCall } from "../once.ts";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "../parts.tsx";
import { readFields, type Shown } from "../refusals.ts";
import { type LinkFields, LinkForm, NO_FIELDS, readLinkForm, toInput } from "./link-form.tsx";
import { LINK_STYLES } from "./styles.ts";

export const shortLinksPage = new Hono<PageEnv>();

const PATH = "/app/short-links";
const ON_A_PAGE = 50;
const MAX_SEARCH = 100;

const DONE_MESSAGES: Record<string, string> = {
  deleted: "The link is deleted. Its address leads nowhere now.",
  on: "The link is on.",
  off: "The link is off. Its address leads nowhere until you switch it on.",
};

shortLinksPage.get(PATH, signedIn("read:pages"), (c) =>
  showLinks(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

shortLinksPage.post(PATH, signedIn("write"), async (c) => {
  const fields = readLinkForm(await readForm(c));
  const { newLinkSchema } = await loadSchemas();
  const { ctx } = c.var;
  let id = 0;
  const refused = await attemptForm(async () => {
    const input = readFields(newLinkSchema, toInput(fields));
    const { result } = await createLink(ctx, input, { call: formCall(c), origin: originOf(c) });
    id = result.id;
  });
  return refused
    ? showLinks(c, { ...refused, sent: fields })
    : c.redirect(`${PATH}/${id}?done=created`, 303);
});

const originOf = (c: Context<PageEnv>): string => publicOrigin(c.var.deps, c.req.url);

function readFilter(query: Record<string, string>) {
  const search = (query.search ?? "").trim();
  const page = query.page ?? "1";
  const isMistaken =
    isLongerThan(search, MAX_SEARCH) || isBrokenText(search) || !/^[1-9]\d{0,5}$/.test(page);
  if (isMistaken) return { search, isMistaken, filter: { page: 1, limit: ON_A_PAGE } };
  const filter = { page: Number(page), limit: ON_A_PAGE, search: search || undefined };
  return { search, isMistaken, filter };
}

interface Sent {
  sent?: LinkFields;
  fields?: FieldRefusals;
}

async function showLinks(
  c: Context<PageEnv>,
  { notice, status, sent, fields = NO_REFUSALS }: Shown & Sent,
): Promise<Response> {
  const { ctx } = c.var;
  const { search, isMistaken, filter } = readFilter(c.req.query());
  const [rows, [total = 0], domains] = await ctx.read("links:read", [
    ...listQueries(ctx, filter),
    domainsForLinks({ team: ctx.team }),
  ]);
  const origin = originOf(c);
  const { page } = filter;
  const { totalPages } = toPagination(total, page, ON_A_PAGE);
  const mistake = {
    text: `Search for at most ${MAX_SEARCH} characters. All links are shown.`,
    isRefusal: true,
  };
  return renderOwnPage(
    c,
    { title: "Short links", here: PATH, status, styles: LINK_STYLES },
    <>
      <div class="row head">
        <h1>Short links</h1>
        <a class="button quiet" href={`${PATH}/domains`}>
          Domains
        </a>
      </div>
      <NoticeLine notice={notice ?? (isMistaken ? mistake : null)} />
      <Section id="new" title="Make a link">
        <LinkForm
          action={PATH}
          fields={sent ?? NO_FIELDS}
          refusals={fields}
          domains={domains}
          ownHost={ownHostOf(c)}
          isNew
        >
          Make the link
        </LinkForm>
      </Section>
      {(total > 0 || search !== "") && (
        <form class="card row search" method="get" action={PATH} aria-label="Search">
          <InputField
            id="search"
            label="Search"
            hint="short name, destination or title"
            type="search"
            maxlength={MAX_SEARCH}
            value={search}
          />
          <button type="submit">Search</button>
          {search !== "" && (
            <a class="button quiet" href={PATH}>
              Show all
            </a>
          )}
        </form>
      )}
      <Section id="links" title={total === 1 ? "1 link" : `${total.toLocaleString("en")} links`}>
        {rows.length > 0 ? (
          <ul class="list">
            {rows.map((link) => (
              <LinkItem link={link} address={shortUrlOf(ctx.config, origin, link)} />
            ))}
          </ul>
        ) : (
          <Nothing isSearched={search !== ""} total={total} />
        )}
      </Section>
      {totalPages > 1 && <Pages search={search} page={page} totalPages={totalPages} />}
    </>,
  );
}

export const ownHostOf = (c: Context<PageEnv>): string =>
  c.var.ctx.config.shortDomain ?? new URL(originOf(c)).host;

const LinkItem = ({ link, address }: { link: ListedLink; address: string }) => {
  const { id, destination, clicks, isActive, title } = link;
  return (
    <li>
      <div class="grow">
        <a href={`${PATH}/${id}`}>{address.replace(/^https?:\/\//, "")}</a>
        <p class="muted away">
          {title !== null && `${title} · `}to {destination}
        </p>
      </div>
      <span class="muted number">
        {clicks === 1 ? "1 click" : `${clicks.toLocaleString("en")} clicks`}
      </span>
      <State {...stateOf(isActive)} />
      <SwitchForm id={id} isActive={isActive} name={link.slug} back="list" />
    </li>
  );
};

export const stateOf = (isActive: boolean) =>
  isActive ? { text: "On", tone: "good" } : { text: "Off", tone: "" };

interface SwitchProps {
  id: number;
  isActive: boolean;
  name: string;
  back: "list" | "link";
}

export const SwitchForm = ({ id, isActive, name, back }: SwitchProps) => (
  <TeamForm action={`${PATH}/${id}/switch`}>
    <input type="hidden" name="on" value={String(!isActive)} />
    <input type="hidden" name="back" value={back} />
    <Button tone="quiet">
      Switch {isActive ? "off" : "on"}
      <span class="hidden"> {name}</span>
    </Button>
  </TeamForm>
);

const Nothing = ({ isSearched, total }: { isSearched: boolean; total: number }) => {
  if (total > 0) return <p>The list ends before this page.</p>;
  return isSearched ? (
    <p>
      No link matches. Use fewer words, or <a href={PATH}>show all</a>.
    </p>
  ) : (
    <p>There are no links yet. Make the first one above.</p>
  );
};

const Pages = (props: { search: string; page: number; totalPages: number }) => {
  const { search, page, totalPages } = props;
  const addressOf = (target: number) => {
    const words = search === "" ? "" : `search=${encodeURIComponent(search)}&`;
    return `${PATH}?${words}page=${target}`;
  };
  return (
    <nav class="row" aria-label="Pages of the list">
      {page > 1 && (
        <a class="button quiet" rel="prev" href={addressOf(Math.min(page - 1, totalPages))}>
          Previous
        </a>
      )}
      <span class="muted">
        Page {page} of {totalPages}
      </span>
      {page < totalPages && (
        <a class="button quiet" rel="next" href={addressOf(page + 1)}>
          Next
        </a>
      )}
    </nav>
  );
};
