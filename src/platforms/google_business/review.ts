import type { PublishedPost, Refused, Settled, Waiting } from "../connector.ts";
import { failed } from "../kit/refusals.ts";
import { ageOf, published, steppedLook, TOKEN_EXPIRED, waiting } from "../kit/steps.ts";
import { getPostRequest, type ListedPost, readPostReply } from "./api.ts";
import type { Review } from "./bookmark.ts";
import { isTokenRefusal } from "./failures.ts";
import type { Job } from "./local-post.ts";

/** Seconds. Google takes moments, minutes or hours. */
const LOOKS = [
  { until: 10, every: 5 },
  { until: 120, every: 30 },
  { until: 1_800, every: 120 },
  { until: 14_400, every: 600 },
];
const LATER_LOOKS = 1_500;
/** As others give up too. */
const REVIEW_SECONDS = 86_400;

const STILL_REVIEWED =
  "Google has taken the post and was still reviewing it after a day. Look at the profile.";
const NOT_SHOWN = "Google took the post, but does not show it; it may still appear.";

/** The API names no reason. */
export const REJECTED: Refused = failed(
  "content_flagged",
  "Google rejected the post, and does not say why. Others name as reasons a phone number in the text, spam, a text that was posted before, links to other sites, and prices of a hotel.",
);

const lookAgain = (job: Job, at: Review): Waiting =>
  waiting<Review>(
    { ...at, looks: at.looks + 1 },
    steppedLook(LOOKS, LATER_LOOKS, ageOf(at.since, job.now())),
  );

export const beginReview = (job: Job, name: string): Review => ({
  stage: "review",
  name,
  since: job.now().getTime(),
  looks: 0,
});

const toPublished = ({ name, searchUrl }: ListedPost, warnings: string[] = []): PublishedPost =>
  published(name, searchUrl, warnings);

/** A post that was taken is not yet published. */
export function judgeState(
  job: Job,
  post: ListedPost,
  at = beginReview(job, post.name),
): PublishedPost | Waiting | Refused {
  switch (post.state) {
    case "LIVE":
      return toPublished(post);
    case "REJECTED":
      return REJECTED;
    default:
      return lookAgain(job, at);
  }
}

export async function followReview(job: Job, at: Review): Promise<Settled> {
  const sight = await look(job, at.name);
  if (sight === "token_expired") return TOKEN_EXPIRED;
  const isOver = ageOf(at.since, job.now()) > REVIEW_SECONDS;
  if (sight === "hidden") {
    return isOver ? failed("platform_processing_timeout", NOT_SHOWN) : lookAgain(job, at);
  }
  if (sight === "not_told") {
    return isOver ? published(at.name, null, [STILL_REVIEWED]) : lookAgain(job, at);
  }
  const judged = judgeState(job, sight, at);
  return isOver && judged.kind === "waiting" ? toPublished(sight, [STILL_REVIEWED]) : judged;
}

const NOT_FOUND = 404;

async function look(
  job: Job,
  name: string,
): Promise<ListedPost | "hidden" | "not_told" | "token_expired"> {
  try {
    const reply = await readPostReply(await job.fetch(getPostRequest(job.accessToken, name)));
    if (reply.ok) return reply.value;
    if (isTokenRefusal(reply.error)) return "token_expired";
    return reply.error.status === NOT_FOUND ? "hidden" : "not_told";
  } catch {
    return "not_told";
  }
}
