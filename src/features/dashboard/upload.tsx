import { type Context, Hono } from "hono";
import type { PropsWithChildren } from "hono/jsx";
import { notFound } from "../../core/errors.ts";
import { FAILURES } from "../../core/failures.ts";
import { reviewPath } from "../../core/link-token.ts";
import { isDraft, STATUS_WORDS } from "../../core/upload-status.ts";
import { publicOrigin } from "../../http/env.ts";
import { readNumericId } from "../../http/ids.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { Fact } from "../../pages/fact.tsx";
import { TeamForm } from "../../pages/team-form.tsx";
import { type Clock, clockOf, Time } from "../../pages/times.tsx";
import { TEXT_FIELDS } from "../../platforms/correction.ts";
import { platformName } from "../../platforms/registry.ts";
import { type PageEnv, signedIn } from "../auth/signed-in.ts";
import { versionOf } from "../content/version.ts";
import { mediaPath } from "../media/files.ts";
import { partName, positionToRetry, toPartAnswers } from "../posts/parts.ts";
import { HELD_MESSAGE, mayApprove } from "../posts/rules.ts";
import type { MediaRef } from "../posts/table.ts";
import { openLinkOfPost } from "../review/repo/links.ts";
import type { ReviewPostRow } from "../review/table.ts";
import { Approval, type ApprovalView } from "./approval.tsx";
import { Correcting } from "./correcting.tsx";
import { Button } from "./form-parts.tsx";
import { doneNotice, NoticeLine, renderOwnPage, Section, State } from "./parts.tsx";
import { attempt, type Shown } from "./refusals.ts";
import { eventsOfUpload, type WholeUpload, wholeUpload, zoneOfTeam } from "./repo.ts";
import { type OpenLink, ReviewOfPost } from "./reviews.tsx";
import { TakingDown } from "./taking-down.tsx";
import { timelineOf } from "./timeline.ts";
import { adviceFor, wordsOfUpload } from "./words.ts";

export const uploadPage = new Hono<PageEnv>();

const DONE_MESSAGES: Record<string, string> = {
  retried: "The post is queued again and goes out now.",
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
  const edit = Object.fromEntries(
    texts.map((field) => [field, textField(form, field).replaceAll("\r\n", "\n")]),
  );
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
  if (!upload) throw notFound("Upload");
  const clock = clockOf(zone);
  const view: ApprovalView = {
    mayApprove: mayApprove(ctx.actor),
    isOwn: upload.createdBy === ctx.actor.userId,
    seen: await versionOf(upload),
    comment,
  };
  const files = await Promise.all(upload.media.map((item) => toFile(c, upload.teamId, item)));
  return renderOwnPage(
    c,
    { title: `Upload ${id}`, here: "/app/uploads", status },
    <>
      <p>
        <a href="/app/uploads">All uploads</a>
      </p>
      <h1>Upload {id}</h1>
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
      <Section id="timeline" title="Timeline">
        <ol class="timeline">
          {timelineOf(upload, events, clock).map(({ at, text }) => (
            <li>
              <p class="muted">
                <Time at={at} clock={clock} />
              </p>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      </Section>
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
                : "A retry is not likely to help as long as the post stays as it is."}
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

interface File {
  name: string;
  thumbnail: string | null;
  original: string | null;
}

const KINDS = { image: "Image", video: "Video", document: "Document" } as const;

async function toFile(c: Context<PageEnv>, teamId: number, item: MediaRef): Promise<File> {
  const { ctx } = c.var;
  if (!("sha256" in item)) {
    const isOver = item.isGone || item.problem !== undefined;
    const name = `${isOver ? "Not downloaded" : "To be downloaded"}: ${item.url}`;
    return { name, thumbnail: null, original: null };
  }
  const { sha256, kind, isGone, hasThumbnail } = item;
  const path = (variant: "original" | "thumbnail") => mediaPath(ctx, teamId, sha256, variant);
  const isShown = kind === "image" && (!isGone || hasThumbnail);
  const role =
    item.role === "thumbnail"
      ? ", the video's picture"
      : item.role === "part"
        ? ", of the thread"
        : item.setting
          ? `, ${item.setting}`
          : "";
  return {
    name: `${KINDS[kind]}${role}${isGone ? ", no longer stored" : ""}`,
    thumbnail: isShown ? await path("thumbnail") : null,
    original: isGone ? null : await path("original"),
  };
}

const Content = ({ upload, files }: { upload: WholeUpload; files: readonly File[] }) => (
  <Section id="content-of-post" title="Content">
    {upload.title && <p class="text">{upload.title}</p>}
    {upload.description && <p class="text">{upload.description}</p>}
    {!upload.title && !upload.description && <p class="muted">The post has no text.</p>}
    {upload.parts && (
      <ol>
        {toPartAnswers(upload).map(({ position, text, status, shareUrl, errorMessage, kind }) => (
          <li>
            <strong>{partName({ kind }, position)}</strong>, {STATUS_WORDS[status]}
            {shareUrl && !upload.isSimulated && (
              <>
                {" "}
                <a href={shareUrl} rel="noreferrer">
                  Open it on {platformName(upload.platform)}
                </a>
              </>
            )}
            <p class="text">{text}</p>
            {errorMessage && <p>{errorMessage}</p>}
          </li>
        ))}
      </ol>
    )}
    {files.length > 0 && (
      <ul class="files">
        {files.map(({ name, thumbnail, original }, i) => (
          <li>
            {thumbnail && (
              <img src={thumbnail} alt={`File ${i + 1} of the post`} loading="lazy" width="160" />
            )}
            {original ? <a href={original}>{name}</a> : <span class="muted">{name}</span>}
          </li>
        ))}
      </ul>
    )}
  </Section>
);

const toText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** Settings without content, as JSON. */
const EMPTY = ["", "null", "[]", "{}"];

const formatBytes = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const Facts = ({ upload, clock }: { upload: WholeUpload; clock: Clock }) => {
  const { scheduledFor, dueAt, fileSize, attempt: attempts, metadata, creditsSpent } = upload;
  const settings = Object.entries(upload.settings).filter(
    ([, value]) => !EMPTY.includes(toText(value)),
  );
  return (
    <Section id="facts" title="Details">
      <dl>
        {scheduledFor && (
          <Fact name="Planned for">
            <Time at={scheduledFor} clock={clock} />
          </Fact>
        )}
        {dueAt && !isDraft(upload.status) && (
          <Fact name="Next try">
            <Time at={dueAt} clock={clock} />
          </Fact>
        )}
        <Fact name="Attempts">{attempts}</Fact>
        {fileSize > 0 && <Fact name="Files">{formatBytes(fileSize)}</Fact>}
        {metadata && <Fact name="Id on the platform">{metadata.videoId}</Fact>}
        {creditsSpent !== null && (
          <Fact name="Credits">
            {creditsSpent} spent, {upload.creditsRefunded ?? 0} given back
          </Fact>
        )}
        {settings.map(([name, value]) => (
          <Fact name={<code>{name}</code>}>{toText(value)}</Fact>
        ))}
      </dl>
    </Section>
  );
};
