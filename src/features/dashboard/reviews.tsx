import { type Context, Hono } from "hono";
import { AppError } from "../../core/errors.ts";
import { reviewPath } from "../../core/link-token.ts";
import { publicOrigin } from "../../http/env.ts";
import { readNumericId } from "../../http/ids.ts";
import { readForm } from "../../http/pages.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, clockOf, Time } from "../../pages/times.tsx";
import { platformName } from "../../platforms/registry.ts";
import { requireOneOf } from "../auth/rules.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { type ListedLink, openLinks } from "../review/repo/links.ts";
import { MAX_REVIEWED } from "../review/rules.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { Button, SubmitLine } from "./form-parts.tsx";
import { formCall } from "./once.ts";
import { cut, doneNotice, NoticeLine, renderOwnPage, Section } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";
import { soonestUploads, type UploadLine } from "./repo.ts";

export const reviewsPage = new Hono<PageEnv>();

const PATH = "/app/reviews";

const DONE_MESSAGES: Record<string, string> = {
  created: "The link is made. Copy it and send it to your client.",
  withdrawn: "The link is withdrawn: its page says so from now on.",
};

const MAX_SHOWN = 20;

const STYLES = ".address { user-select: all; margin-top: .4rem; }";

reviewsPage.get(PATH, signedIn("read:pages"), (c) =>
  showReviews(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 }),
);

/** Null for all posts that await approval. */
function readIds(form: FormData): number[] | null {
  if (form.get("all") === "1") return null;
  const ids = form.getAll("post").map((text) => readNumericId(String(text), "Upload"));
  if (ids.length === 0) throw new AppError(null, "Choose a post to be reviewed.");
  const different = [...new Set(ids)];
  if (different.length <= MAX_REVIEWED) return different;
  throw new AppError(null, `A link has at most ${MAX_REVIEWED} posts. Choose fewer.`);
}

reviewsPage.post(PATH, signedIn("write"), async (c) => {
  const form = await readForm(c);
  const { createReviewLink } = await import("./actions.ts");
  const refused = await attempt(() => createReviewLink(c.var.ctx, readIds(form), formCall(c)));
  return refused ? showReviews(c, refused) : c.redirect(`${PATH}?done=created`, 303);
});

reviewsPage.post(`${PATH}/:id/withdraw`, signedIn("destructive"), async (c) => {
  const id = readNumericId(c.req.param("id"), "Link");
  const { withdrawReviewLink } = await import("./actions.ts");
  const refused = await attempt(() => withdrawReviewLink(c.var.ctx, id));
  return refused ? showReviews(c, refused) : c.redirect(`${PATH}?done=withdrawn`, 303);
});

async function showReviews(c: Context<PageEnv>, { notice, status }: Shown): Promise<Response> {
  const { ctx } = c.var;
  const { team } = ctx;
  const limit = MAX_REVIEWED;
  const [[zone = null], rows, awaiting, drafts] = await ctx.read("posts:publish", [
    zoneOfTeam({ team }),
    openLinks({ team, now: ctx.now(), max: MAX_SHOWN }),
    soonestUploads({ team, group: "pending_approval", limit }),
    soonestUploads({ team, group: "draft", limit }),
  ]);
  requireOneOf(ctx.actor, ["OWNER", "ADMIN"], "Only the owner and admins make review links.");
  const clock = clockOf(zone);
  const origin = publicOrigin(ctx, c.req.url);
  const addresses = await Promise.all(
    rows.map(async ({ id }) => origin + (await reviewPath(ctx.config.signingKey, id))),
  );
  return renderOwnPage(
    c,
    {
      title: "Review links",
      here: "/app/uploads",
      status,
      styles: STYLES,
    },
    <>
      <p>
        <a href="/app/uploads">All posts</a>
      </p>
      <h1>Review links</h1>
      <NoticeLine notice={notice} />
      <Section id="links" title={rows.length === 1 ? "1 open link" : `${rows.length} open links`}>
        <p class="muted">
          The person who opens a link sees its posts as they will look, and approves them or asks
          for changes, without a sign-in. Each is open for 14 days. The name, logo and address on
          the page are those of the <a href="/app/settings">settings</a>.
        </p>
        {rows.length > 0 && (
          <ul class="list">
            {rows.map((link, i) => (
              <LinkItem link={link} address={addresses[i] ?? ""} clock={clock} />
            ))}
          </ul>
        )}
      </Section>
      <LinkForm awaiting={awaiting} drafts={drafts} clock={clock} />
    </>,
  );
}

const LinkItem = (props: { link: ListedLink; address: string; clock: Clock }) => {
  const { id, uploadIds, awaiting, createdAt, expiresAt } = props.link;
  const count = uploadIds.length;
  return (
    <li>
      <div class="grow">
        <strong>
          {count === 1 ? "1 post" : `${count} posts`}, {awaiting} waiting
        </strong>
        <p class="muted">
          made <Time at={createdAt} clock={props.clock} /> · open until{" "}
          <Time at={expiresAt} clock={props.clock} />
        </p>
        <pre class="address">{props.address}</pre>
      </div>
      <TeamForm action={`${PATH}/${id}/withdraw`}>
        <button class="danger" type="submit">
          Withdraw
          <span class="hidden">
            {" "}
            the link of {count === 1 ? "1 post" : `${count} posts`}, number {id}
          </span>
        </button>
      </TeamForm>
    </li>
  );
};

interface Choosing {
  awaiting: readonly UploadLine[];
  drafts: readonly UploadLine[];
  clock: Clock;
}

const LinkForm = ({ awaiting, drafts, clock }: Choosing) => (
  <Section id="new" title="Make a link">
    {awaiting.length + drafts.length === 0 ? (
      <p>There is nothing to review: a link is for drafts and for posts that wait for approval.</p>
    ) : (
      <TeamForm class="fields" action={PATH} makes>
        <Choices title="Waiting for approval" posts={awaiting} clock={clock} isChosen />
        <Choices title="Drafts, which are submitted" posts={drafts} clock={clock} />
        <SubmitLine>Make the link</SubmitLine>
      </TeamForm>
    )}
  </Section>
);

const Choices = (props: {
  title: string;
  posts: readonly UploadLine[];
  clock: Clock;
  isChosen?: boolean;
}) =>
  props.posts.length === 0 ? null : (
    <fieldset>
      <legend>{props.title}</legend>
      {props.posts.map(({ id, text, platform, accountName, scheduledFor }) => (
        <label>
          <input type="checkbox" name="post" value={String(id)} checked={props.isChosen} />
          <span class="text">
            <bdi>{cut(text) || `Post ${id}, without text`}</bdi>
            <span class="hint">
              {" "}
              {accountName ?? "A removed account"} · {platformName(platform)}
              {scheduledFor && (
                <>
                  {" "}
                  · <Time at={scheduledFor} clock={props.clock} />
                </>
              )}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );

export interface OpenLink {
  address: string;
  expiresAt: Date;
}

export const ReviewOfPost = ({
  id,
  link,
  isReviewable,
  clock,
}: {
  id: number;
  link: OpenLink | null;
  isReviewable: boolean;
  clock: Clock;
}) =>
  link === null && !isReviewable ? null : (
    <Section id="review" title="Review by a client">
      {link && (
        <>
          <p>
            The link is open until <Time at={link.expiresAt} clock={clock} />. Everybody who opens
            it can approve the post.
          </p>
          <pre>{link.address}</pre>
        </>
      )}
      {isReviewable && (
        <TeamForm action={PATH} makes>
          <input type="hidden" name="post" value={String(id)} />
          <Button tone="quiet">{link ? "Make another review link" : "Make a review link"}</Button>
        </TeamForm>
      )}
    </Section>
  );
