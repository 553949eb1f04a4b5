import { Hono } from "hono";
import type { Child } from "hono/jsx";
import { AppError } from "../../core/errors.ts";
import { countVisitor } from "../../http/caller.ts";
import { type AppContext, type AppEnv, publicOrigin } from "../../http/env.ts";
import { toRefusal } from "../../http/errors.ts";
import { readForm, textField } from "../../http/pages.tsx";
import { renderPlainPage } from "../../pages/app-layout.tsx";
import { Brand } from "../../pages/brand.tsx";
import { clockOf, Time } from "../../pages/times.tsx";
import { logoPath } from "../settings/rules.ts";
import { approveAll, decideOn, isProof, proofOf, type Refusal, shownPosts } from "./decide.ts";
import { type FoundReview, findReview, isAwaiting, type Review, type ShownPost } from "./find.ts";
import { likenessOf, Post, type PostNotice, type Scene } from "./post-parts.tsx";
import type { BrandedLink } from "./repo/links.ts";
import { OWN_TIME_SCRIPT, REVIEW_STYLES } from "./styles.ts";

export const reviewPages = new Hono<AppEnv>();

const PATH = "/review/:token";

/** Notices by the query parameter of the redirect after a decision. */
const DONE: Record<string, string> = {
  approved: "Thank you: this post is approved.",
  changes: "Thank you: the team has your note.",
  all: "Thank you: the posts are approved.",
};

reviewPages.get(PATH, async (c) => {
  await countVisitor(c, "read:review");
  const result = await findReview(c.var.deps, c.req.param("token"));
  if (result.kind !== "open") return showEnded(c, result);
  return showReview(c, result.review, doneNotices(c, result.review));
});

reviewPages.post(PATH, async (c) => {
  await countVisitor(c, "review");
  const { deps } = c.var;
  const result = await findReview(deps, c.req.param("token"));
  if (result.kind !== "open") return showEnded(c, result);
  const { review } = result;
  const form = await readForm(c);
  if (!(await isProof(deps, review.link.id, textField(form, "proof")))) {
    const message = "This form does not come from the page of the link. Open the link again.";
    throw new AppError("FORBIDDEN", message);
  }
  const decision = textField(form, "decision");
  if (decision === "all") return decideOnAll(c, review, textField(form, "posts"));
  if (decision !== "approve" && decision !== "changes") {
    throw new AppError(null, "The form names no decision. Open the link again.");
  }
  const id = Number(textField(form, "post"));
  const post = review.posts.find((one) => one.id === id);
  if (!post)
    throw new AppError("NOT_FOUND", "This post is not one of the link's. Open the link again.");
  const note = decision === "changes" ? textField(form, "comment") : null;
  const refusal = await decideOn(deps, review, { post, seen: textField(form, "seen"), note });
  if (refusal) return showRefused(c, new Map([[id, refusal]]), { id, note });
  const done = note === null ? "approved" : "changes";
  return c.redirect(`${c.req.path}?done=${done}&post=${id}#post-${id}`, 303);
});

async function decideOnAll(c: AppContext, review: Review, shown: string): Promise<Response> {
  const refused = await approveAll(c.var.deps, review, shown);
  if (refused.size > 0) return showRefused(c, refused, null);
  return c.redirect(`${c.req.path}?done=all`, 303);
}

/** `ofPosts`: notices by post id. */
interface Notices {
  ofPage: PostNotice | null;
  ofPosts: Map<number, PostNotice>;
  status: number;
}

/** The page thanks only while the decision still holds. */
function doneNotices(c: AppContext, { posts }: Review): Notices {
  const { done, post } = c.req.query();
  const meant = post === undefined ? posts : posts.filter(({ id }) => id === Number(post));
  const holds = meant.length > 0 && meant.every(({ status }) => status !== "pending_approval");
  const isKnown = done !== undefined && Object.hasOwn(DONE, done);
  const text = isKnown && holds ? DONE[done] : undefined;
  const notice = text === undefined ? null : { text, isRefusal: false };
  const isOfPost = notice !== null && post !== undefined;
  return {
    ofPage: isOfPost ? null : notice,
    ofPosts: new Map(isOfPost ? [[Number(post), notice]] : []),
    status: 200,
  };
}

async function showRefused(
  c: AppContext,
  refused: Map<number, Refusal>,
  kept: { id: number; note: string | null } | null,
): Promise<Response> {
  const result = await findReview(c.var.deps, c.req.param("token") ?? "");
  if (result.kind !== "open") return showEnded(c, result);
  const ofPosts = new Map<number, PostNotice>();
  for (const [id, { text }] of refused) {
    const note = kept?.id === id && kept.note !== null ? { note: kept.note } : {};
    ofPosts.set(id, { text, isRefusal: true, ...note });
  }
  const [first] = refused.values();
  const text =
    kept === null
      ? `${refused.size === 1 ? "One post was" : `${refused.size} posts were`} not approved: each shows its reason. The others are approved.`
      : (first?.text ?? "");
  const status = first?.status ?? 409;
  return showReview(c, result.review, { ofPage: { text, isRefusal: true }, ofPosts, status });
}

/** Videos whose first frame is fetched; more would slow down a phone. */
const MAX_LOADED = 8;

async function showReview(c: AppContext, review: Review, notices: Notices): Promise<Response> {
  const { deps } = c.var;
  const { link, posts } = review;
  const likenesses = await Promise.all(
    posts.map((post) => (post.deletedAt === null ? likenessOf(deps, post) : null)),
  );
  const scene: Scene = {
    clock: clockOf(link.zone),
    now: deps.now(),
    origin: publicOrigin(deps, c.req.url),
    path: c.req.path,
    proof: await proofOf(deps, link.id),
  };
  const awaiting = posts.filter(isAwaiting);
  const title = posts.length === 1 ? "A post to review" : `${posts.length} posts to review`;
  return renderReview(
    c,
    { title, status: notices.status, link },
    <>
      <div>
        <h1>{title}</h1>
        <p class="lead">
          {leadOf(awaiting.length, posts.length)} This page is open until{" "}
          <Time at={link.expiresAt} clock={scene.clock} />.
        </p>
      </div>
      <NoticeOfPage {...notices} />
      {awaiting.length > 1 && <ApproveAll awaiting={awaiting} scene={scene} />}
      <ol class="posts">
        {posts.map((post, i) => (
          <Post
            post={post}
            at={i + 1}
            count={posts.length}
            likeness={likenesses[i] ?? null}
            loads={i < MAX_LOADED}
            scene={scene}
            notice={notices.ofPosts.get(post.id)}
          />
        ))}
      </ol>
    </>,
  );
}

function leadOf(awaiting: number, count: number): string {
  if (awaiting === 0) return "Every post is decided. Thank you.";
  if (count === 1) return "See it as it will look, then approve it or ask for changes.";
  const remaining =
    awaiting === count ? "" : ` ${awaiting} of them ${awaiting === 1 ? "is" : "are"} left.`;
  return `See each as it will look, then approve it or ask for changes.${remaining}`;
}

const NoticeOfPage = ({ ofPage, ofPosts }: Notices) => {
  if (ofPage === null) return null;
  const { text, isRefusal } = ofPage;
  const [id] = ofPosts.keys();
  return (
    <p class={isRefusal ? "notice bad" : "notice"} role={isRefusal ? "alert" : "status"}>
      {text} {isRefusal && id !== undefined && <a href={`#post-${id}`}>Go to the post</a>}
    </p>
  );
};

const ApproveAll = ({ awaiting, scene }: { awaiting: readonly ShownPost[]; scene: Scene }) => (
  <form class="card all" method="post" action={scene.path}>
    <input type="hidden" name="proof" value={scene.proof} />
    <input type="hidden" name="decision" value="all" />
    <input type="hidden" name="posts" value={shownPosts(awaiting)} />
    <p>{awaiting.length} posts wait for your decision.</p>
    <button class="quiet" type="submit">
      Approve all {awaiting.length}
    </button>
  </form>
);

const ENDED = {
  forged: [
    404,
    "This link leads nowhere",
    "Check that you have its whole address, or ask for the link again.",
  ],
  withdrawn: [
    410,
    "This link is gone",
    "It was withdrawn, or ended long ago. If there is still something to review, ask for a new one.",
  ],
  expired: [410, "This link has expired", "It was open for 14 days. Ask for a new one."],
} as const;

function showEnded(
  c: AppContext,
  result: Exclude<FoundReview, { kind: "open" }>,
): Promise<Response> {
  const [status, title, text] = ENDED[result.kind];
  const link = result.kind === "expired" ? result.link : null;
  return renderReview(
    c,
    { title, status, link },
    <>
      <h1>{title}</h1>
      <p>{text}</p>
    </>,
  );
}

/** Shows no links: clients have no other page. */
export async function renderReviewError(error: unknown, c: AppContext): Promise<Response> {
  const { status, message, headers } = toRefusal(error, c);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  const title = status < 500 ? "That did not work" : "Something broke";
  return renderReview(
    c,
    { title, status, link: null },
    <>
      <h1>{title}</h1>
      <p role="alert">{message}</p>
      <p>Nothing was changed.</p>
    </>,
  );
}

interface ReviewPage {
  title: string;
  status: number;
  link: BrandedLink | null;
}

function renderReview(
  c: AppContext,
  { title, status, link }: ReviewPage,
  content: Child,
): Promise<Response> {
  const branding = link?.branding;
  const site = branding?.name ?? "Review";
  const page = { title, status, site, styles: REVIEW_STYLES, inlineScript: OWN_TIME_SCRIPT };
  return renderPlainPage(
    c,
    { ...page, hasMedia: true, isSecret: true },
    <>
      {branding && <Brand {...branding} logo={branding.logo && logoPath(branding.logo)} />}
      {content}
    </>,
  );
}
