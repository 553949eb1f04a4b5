import { type Context, Hono } from "hono";
import { notFound } from "../../core/errors.ts";
import { publicOrigin } from "../../http/env.ts";
import { readNumericId } from "../../http/ids.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, clockOf, Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { listAccounts } from "../accounts/service.ts";
import type { AccountRow } from "../accounts/table.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { listFeeds } from "../feeds/service.ts";
import type { FeedRow } from "../feeds/table.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { Button, Choice, Field, InputField, SubmitLine } from "./form-parts.tsx";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, readFields, type Shown } from "./refusals.ts";

export const feedsPage = new Hono<PageEnv>();

const PATH = "/app/feeds";

const DONE_MESSAGES = {
  added: "The feed is added. What is in it already makes no posts.",
  changed: "The feed is changed.",
  deleted: "The feed is deleted. Its posts stay.",
};

const STATUSES = [
  ["draft", "Drafts"],
  ["pending_approval", "Posts that wait for approval"],
  ["now", "Posts that go out at once"],
] as const;

feedsPage.get(PATH, signedIn("read:pages"), (c) =>
  show(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

const fieldsOf = (form: FormData) => ({
  url: textField(form, "url"),
  accountIds: form.getAll("account").map(String),
  template: textField(form, "template") || undefined,
  status: textField(form, "status") === "now" ? null : textField(form, "status"),
  picture: form.has("picture"),
});

feedsPage.post(PATH, signedIn("write"), async (c) => {
  const { ctx } = c.var;
  const form = await readForm(c);
  const { newFeedSchema } = await import("../feeds/schema.ts");
  const { addFeed } = await import("../feeds/service.ts");
  const refused = await attempt(() =>
    addFeed(ctx, readFields(newFeedSchema, fieldsOf(form)), publicOrigin(ctx, c.req.url)),
  );
  return refused ? show(c, { ...refused, sent: form }) : c.redirect(`${PATH}?done=added`, 303);
});

feedsPage.get(`${PATH}/:id`, signedIn("read:pages"), (c) =>
  showOne(c, readNumericId(c.req.param("id"), "Feed"), { notice: null, status: 200 }),
);

feedsPage.post(`${PATH}/:id`, signedIn("write"), async (c) => {
  const id = readNumericId(c.req.param("id"), "Feed");
  const form = await readForm(c);
  const { feedChangeSchema } = await import("../feeds/schema.ts");
  const { changeFeed } = await import("../feeds/service.ts");
  const refused = await attempt(() =>
    changeFeed(c.var.ctx, id, readFields(feedChangeSchema, fieldsOf(form))),
  );
  return refused
    ? showOne(c, id, { ...refused, sent: form })
    : c.redirect(`${PATH}?done=changed`, 303);
});

feedsPage.post(`${PATH}/:id/switch`, signedIn("write"), async (c) => {
  const id = readNumericId(c.req.param("id"), "Feed");
  const form = await readForm(c);
  const { changeFeed } = await import("../feeds/service.ts");
  const isActive = textField(form, "on") === "1";
  const refused = await attempt(() => changeFeed(c.var.ctx, id, { isActive }));
  return refused ? show(c, refused) : c.redirect(`${PATH}?done=changed`, 303);
});

feedsPage.post(`${PATH}/:id/delete`, signedIn("destructive"), async (c) => {
  const id = readNumericId(c.req.param("id"), "Feed");
  const { deleteFeed } = await import("../feeds/service.ts");
  const refused = await attempt(() => deleteFeed(c.var.ctx, id));
  return refused ? show(c, refused) : c.redirect(`${PATH}?done=deleted`, 303);
});

async function show(
  c: Context<PageEnv>,
  { notice, status, sent }: Shown & { sent?: FormData },
): Promise<Response> {
  const { ctx } = c.var;
  const feeds = await listFeeds(ctx);
  const accounts = await listAccounts(ctx);
  const [[zone = null]] = await ctx.read("posts:read", [zoneOfTeam({ team: ctx.team })]);
  return renderOwnPage(
    c,
    { title: "Feeds", here: "/app/uploads", status },
    <>
      <h1>Feeds</h1>
      <NoticeLine notice={notice} />
      <Section id="feeds" title="Your team's feeds">
        {feeds.length === 0 ? (
          <p>There are none yet.</p>
        ) : (
          <ul class="list">
            {feeds.map((feed) => (
              <FeedItem feed={feed} accounts={accounts} clock={clockOf(zone)} />
            ))}
          </ul>
        )}
      </Section>
      <Section id="new" title="Add a feed">
        <FeedForm accounts={accounts} sent={sent ?? new FormData()} />
      </Section>
    </>,
  );
}

async function showOne(
  c: Context<PageEnv>,
  id: number,
  { notice, status, sent }: Shown & { sent?: FormData },
): Promise<Response> {
  const { ctx } = c.var;
  const feed = (await listFeeds(ctx)).find((one) => one.id === id);
  if (!feed) throw notFound("Feed");
  const accounts = await listAccounts(ctx);
  return renderOwnPage(
    c,
    { title: "Change a feed", here: "/app/uploads", status },
    <>
      <h1>Change a feed</h1>
      <NoticeLine notice={notice} />
      <Section id="feed" title="The feed">
        <FeedForm accounts={accounts} feed={feed} sent={sent ?? formOf(feed)} />
      </Section>
      <p>
        <a href={PATH}>All feeds</a>
      </p>
    </>,
  );
}

/** What the form of a feed sends when nothing is changed. */
function formOf(feed: FeedRow): FormData {
  const form = new FormData();
  form.set("url", feed.url);
  for (const id of feed.accountIds) form.append("account", id);
  form.set("template", feed.template);
  form.set("status", feed.status ?? "now");
  if (feed.takesPicture) form.set("picture", "on");
  return form;
}

const FeedForm = ({
  accounts,
  feed,
  sent,
}: {
  accounts: readonly AccountRow[];
  feed?: FeedRow;
  sent: FormData;
}) => (
  <TeamForm class="fields" action={feed ? `${PATH}/${feed.id}` : PATH}>
    <p class="muted">
      New entries of a blog, a podcast or a channel of YouTube become posts. The feed is asked about
      every hour. <a href="/docs/feeds">What a template may hold</a>.
    </p>
    <InputField
      id="url"
      label="Address of the feed or its page"
      type="url"
      required
      maxlength={2_048}
      value={textField(sent, "url")}
      placeholder="https://"
    />
    <fieldset>
      <legend>Accounts</legend>
      <div class="checks">
        {accounts.map(({ id, platform, accountName }) => (
          <label>
            <input
              type="checkbox"
              name="account"
              value={id}
              checked={sent.getAll("account").includes(id)}
            />
            {accountName} · {platformName(platform)}
          </label>
        ))}
      </div>
    </fieldset>
    <Field id="template" label="Text of a post">
      <textarea id="template" name="template" rows={3} maxlength={5_000} dir="auto">
        {textField(sent, "template") || "{title}\n{link}"}
      </textarea>
    </Field>
    <Choice
      name="status"
      label="Entries become"
      chosen={textField(sent, "status") || "draft"}
      options={STATUSES}
    />
    <label>
      <input type="checkbox" name="picture" checked={!sent.has("url") || sent.has("picture")} />{" "}
      With the first picture of the entry
    </label>
    <SubmitLine>{feed ? "Save" : "Add the feed"}</SubmitLine>
  </TeamForm>
);

const FeedItem = ({
  feed,
  accounts,
  clock,
}: {
  feed: FeedRow;
  accounts: readonly AccountRow[];
  clock: Clock;
}) => {
  const { id, url, accountIds, isActive, problem, checkedAt, nextAt, template } = feed;
  const names = accountIds.map((one) => {
    const account = accounts.find((other) => other.id === one);
    return account && `${account.accountName} on ${platformName(account.platform)}`;
  });
  const [, becomes] = STATUSES.find(([value]) => value === (feed.status ?? "now")) ?? [];
  return (
    <li>
      <div class="grow">
        <a href={url} rel="noopener noreferrer">
          {url}
        </a>
        <p class="muted">
          To {names.map((name) => name ?? "a removed account").join(", ")}:{" "}
          <span dir="auto">{template}</span>
        </p>
        <p class="muted">{becomes}.</p>
        <p class="muted">
          {checkedAt && (
            <>
              Asked <Time at={checkedAt} clock={clock} />
              {isActive && (
                <>
                  , next <Time at={nextAt} clock={clock} />
                </>
              )}
              .
            </>
          )}
        </p>
        {problem && <p class="why">{problem}</p>}
      </div>
      <State text={isActive ? "On" : "Off"} tone={isActive ? "good" : ""} />
      <div class="row">
        <a class="button quiet" href={`${PATH}/${id}`}>
          Change
        </a>
        <TeamForm action={`${PATH}/${id}/switch`}>
          <input type="hidden" name="on" value={isActive ? "0" : "1"} />
          <Button tone="quiet" label={`${isActive ? "Switch off" : "Switch on"} ${url}`}>
            {isActive ? "Switch off" : "Switch on"}
          </Button>
        </TeamForm>
        <TeamForm action={`${PATH}/${id}/delete`}>
          <Button tone="danger" label={`Delete ${url}`}>
            Delete
          </Button>
        </TeamForm>
      </div>
    </li>
  );
};
