import { type Context, Hono } from "hono";
import type { PropsWithChildren } from "hono/jsx";
import { FAILURES } from "../../core/failures.ts";
import { reviewPath } from "../../core/link-token.ts";
import { isDraft } from "../../core/upload-status.ts";
import { publicOrigin } from "../../http/env.ts";
import { readNumericId } from "../../http/ids.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { clockOf } from "../../pages/times.tsx";
import { TEXT_FIELDS } from "../../platforms/correction.ts";
import { platformName } from "../../platforms/registry.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { versionOf } from "../content/version.ts";
import { positionToRetry } from "../posts/parts.ts";
import { HELD_MESSAGE, mayApprove } from "../posts/rules.ts";
import { openLinkOfPost } from "../review/repo/links.ts";
import type { ReviewPostRow } from "../review/table.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { Approval, type ApprovalView } from "./approval.tsx";
import { Correcting } from "./correcting.tsx";
import { Button } from "./form-parts.tsx";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";
import { eventsOfUpload, type WholeUpload, wholeUpload } from "./repo.ts";
import { type OpenLink, ReviewOfPost } from "./reviews.tsx";
import { TakingDown } from "./taking-down.tsx";
import { Content, Facts, Timeline, toFile } from "./upload-parts.tsx";
import { adviceFor, wordsOfUpload } from "./words.ts";

export const uploadPage = new Hono<PageEnv>();

const DONE_MESSAGES: Record<string, string> = {
  retried: "The post is queued again and goes out now.",
  continued: "What is not out yet goes out now. The post itself is not sent again.",
  held: HELD_MESSAGE,
  submitted: "The post waits for approval.",
  approved:
    "The post is approved. It goes out at its date, or now when it has no date in the future.",
  returned: "The post is a draft again. Its author reads your comment here.",
  cancelled: "The post has been cancelled. It stays here, and can be retried.",
  edited: "The text has been changed, on the platform too.",
  saved: "The changes are saved.",
  unpublished: "The post has been taken down. It stays here, and cannot be published again.",
};

const SANDBOX_FEED = "/sandbox";

const idOf = (c: Context<PageEnv>): number => readNumericId(c.req.param("id") ?? "", "Upload");

uploadPage.get("/app/uploads/:id", signedIn("read:pages"), (c) => {
  return showUpload(c, { notice: doneNotice(DONE_MESSAGES, c.req.query("done")), status: 200 });
});

uploadPage.post("/app/uploads/:id/retry", signedIn("write"), async (c) => {
  const id = idOf(c);
  const { retryUpload } = await import("./actions.ts");
  const force = c.req.query("force") === "1";
  let done = "retried";
  const refused = await attempt(async () => {
    const { result: retried } = await retryUpload(c.var.ctx, id, { force, call: null });
    if (retried.status === "pending_approval") done = "held";
    if (retried.status === "processing") done = "continued";
  });
  return refused ? showUpload(c, refused) : c.redirect(`/app/uploads/${id}?done=${done}`, 303);
});

uploadPage.post("/app/uploads/:id/delete", signedIn("destructive"), async (c) => {
  const id = idOf(c);
  const { deleteUpload } = await import("./actions.ts");
  let address = "/app/uploads?done=removed";
  const refused = await attempt(async () => {
    const { result } = await deleteUpload(c.var.ctx, id);
    if (result === "cancelled") address = `/app/uploads/${id}?done=cancelled`;
  });
  return refused ? showUpload(c, refused) : c.redirect(address, 303);
});

uploadPage.post("/app/uploads/:id/unpublish", signedIn("destructive"), (c) =>
  decide(c, "unpublished", (actions, id) => actions.unpublishUpload(c.var.ctx, id)),
);

uploadPage.post("/app/uploads/:id/edit", signedIn("write"), async (c) => {
  const form = await readForm(c);
  const texts = TEXT_FIELDS.filter((field) => form.get(field) !== null);
  const edit = Object.fromEntries(texts.map((field) => [field, textField(form, field)]));
  const { editUpload } = await import("./actions.ts");
  return decide(c, "edited", (_, id) => editUpload(c.var.ctx, id, edit));
});

uploadPage.post("/app/uploads/:id/submit", signedIn("write"), (c) =>
  decide(c, "submitted", (actions, id) => actions.submitOwnUpload(c.var.ctx, id)),
);

uploadPage.post("/app/uploads/:id/approve", signedIn("write"), (c) =>
  decide(c, "approved", (actions, id) =>
    actions.approveOwnUpload(c.var.ctx, id, c.req.query("seen")),
  ),
);

uploadPage.post("/app/uploads/:id/request-changes", signedIn("write"), async (c) => {
  const comment = textField(await readForm(c), "comment");
  return decide(
    c,
    "returned",
    (actions, id) => actions.requestOwnChanges(c.var.ctx, id, comment, c.req.query("seen")),
    comment,
  );
});

/** A refused `comment` is shown again. */
async function decide(
  c: Context<PageEnv>,
  done: string,
  action: (actions: typeof import("./actions.ts"), id: number) => Promise<unknown>,
  comment = "",
): Promise<Response> {
  const id = idOf(c);
  const actions = await import("./actions.ts");
  const refused = await attempt(() => action(actions, id));
  if (refused) return showUpload(c, { ...refused, comment });
  return c.redirect(`/app/uploads/${id}?done=${done}`, 303);
}

/** @throws AppError NOT_FOUND */
async function showUpload(
  c: Context<PageEnv>,
  { notice, status, comment = "" }: Shown & { comment?: string },
): Promise<Response> {
  const id = idOf(c);
  const { ctx } = c.var;
  const { team } = ctx;
  const [[zone = null], [upload], events, [link]] = await ctx.read("posts:read", [
    zoneOfTeam({ team }),
    wholeUpload({ team, id }),
    eventsOfUpload({ team, id }),
    openLinkOfPost({ team, uploadId: id, now: ctx.now() }),
  ]);
  if (!upload) {
    const { showArchived } = await import("./archived-upload.tsx");
    return showArchived(c, id, { notice, status, zone });
  }
  const clock = clockOf(zone);
  const view: ApprovalView = {
    mayApprove: mayApprove(ctx.actor),
    viewerId: ctx.person.userId,
    now: ctx.now(),
    seen: await versionOf(upload),
    comment,
  };
  const files = await Promise.all(upload.media.map((item) => toFile(ctx, upload.teamId, item)));
  return renderOwnPage(
    c,
    { title: `Post ${id}`, here: "/app/uploads", status },
    <>
      <p>
        <a href="/app/uploads">All posts</a>
      </p>
      <h1>Post {id}</h1>
      <NoticeLine notice={notice} />
      <PostResult upload={upload} view={view}>
        <Correcting upload={upload} actor={ctx.actor} clock={clock} />
        <TakingDown upload={upload} actor={ctx.actor} clock={clock} />
      </PostResult>
      {mayApprove(ctx.actor) && (
        <ReviewOfPost
          id={id}
          link={link ? await toOpenLink(c, link) : null}
          isReviewable={isDraft(upload.status)}
          clock={clock}
        />
      )}
      <Content upload={upload} files={files} />
      <Timeline upload={upload} events={events} clock={clock} />
      <Facts upload={upload} clock={clock} />
    </>,
  );
}

const toOpenLink = async (
  c: Context<PageEnv>,
  { linkId, expiresAt }: ReviewPostRow,
): Promise<OpenLink> => {
  const { ctx } = c.var;
  const path = await reviewPath(ctx.config.signingKey, linkId);
  return { address: publicOrigin(ctx, c.req.url) + path, expiresAt };
};

const PostResult = ({
  upload,
  view,
  children,
}: PropsWithChildren<{ upload: WholeUpload; view: ApprovalView }>) => {
  const { status, failureCode, errorMessage } = upload;
  const metadata = upload.unpublishedAt ? null : upload.metadata;
  return (
    <Section id="state" title="State">
      <p>
        <State {...wordsOfUpload(upload)} /> on {platformName(upload.platform)} as{" "}
        {upload.isConnected ? (
          <a href={`/app/accounts/${upload.accountId}`}>{upload.accountName}</a>
        ) : (
          `${upload.accountName ?? "an account"}, which is no longer connected`
        )}
      </p>
      {status === "failed" && failureCode !== null && (
        <>
          {errorMessage && <p class="text">{errorMessage}</p>}
          <p>
            <strong>{adviceFor(failureCode)}</strong>
            {failureCode === "account_disconnected" && upload.isConnected && (
              <>
                {" "}
                <a href={`/app/accounts/${upload.accountId}`}>Go to the account</a>
              </>
            )}
          </p>
        </>
      )}
      {upload.reviewComment && (
        <p class="text">
          Changes were requested: <bdi>{upload.reviewComment}</bdi>
        </p>
      )}
      {metadata?.shareUrl && !upload.isSimulated && (
        <p>
          <a href={metadata.shareUrl} rel="noreferrer">
            Open the post on {platformName(upload.platform)}
          </a>
        </p>
      )}
      {metadata && upload.isSimulated && (
        <p>
          Published to the sandbox alone: nothing is on {platformName(upload.platform)}. The post
          stands in the <a href={SANDBOX_FEED}>sandbox feed</a>.
        </p>
      )}
      {metadata?.warnings && (
        <ul>
          {metadata.warnings.map((warning) => (
            <li>{warning}</li>
          ))}
        </ul>
      )}
      <Approval upload={upload} view={view} />
      <Actions upload={upload} />
      {children}
    </Section>
  );
};

const Actions = ({ upload }: { upload: WholeUpload }) => {
  const { id, status, parts } = upload;
  const position = positionToRetry(upload);
  if ((status === "completed" && position === null) || status === "processing") return null;
  const hasFailed = status === "failed" || position !== null;
  const failureCode =
    position === null ? upload.failureCode : (parts?.[position - 1]?.failureCode ?? null);
  const isRetryable = failureCode === null || FAILURES[failureCode].retryable;
  const isWaiting = status === "scheduled" || status === "pending";
  return (
    <div class="row actions">
      {hasFailed && isRetryable && (
        <TeamForm action={`/app/uploads/${id}/retry`}>
          <button type="submit">Retry</button>
        </TeamForm>
      )}
      {hasFailed && !isRetryable && (
        <details>
          <summary>Retry anyway…</summary>
          <TeamForm action={`/app/uploads/${id}/retry?force=1`}>
            <p>
              {failureCode === "platform_processing_timeout"
                ? "The post may have been published: a retry would publish it twice."
                : position === null
                  ? "A retry is not likely to help as long as the post stays as it is."
                  : "A retry is not likely to help as long as the part stays as it is. The command akimbo edit changes its text, and so does PATCH /upload/{id}, with thread or first_comment."}
            </p>
            <Button tone="quiet">Retry anyway</Button>
          </TeamForm>
        </details>
      )}
      {position === null && (
        <a class="button quiet" href={`/app/compose?upload=${id}`}>
          Edit
        </a>
      )}
      {position === null && (
        <details>
          <summary>{isWaiting ? "Cancel…" : "Remove…"}</summary>
          <TeamForm action={`/app/uploads/${id}/delete`}>
            <p>
              {isWaiting
                ? "The post will not go out. It stays in the list as cancelled."
                : "The post leaves the list for good."}
            </p>
            <Button tone="danger">{isWaiting ? "Cancel the post" : "Remove the post"}</Button>
          </TeamForm>
        </details>
      )}
    </div>
  );
};
