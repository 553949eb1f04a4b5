import { ok } from "../../core/result.ts";
import { MINUTE } from "../../core/time.ts";
import type { Reconciled } from "../connector.ts";
import { comparable } from "../kit/listings.ts";
import { unknowable, waiting } from "../kit/steps.ts";
import { type ListedPost, listPostsRequest, readListPostsReply, readPages } from "./api.ts";
import { toUnknowable } from "./failures.ts";
import { type Job, type LocalPost, toLocalPost } from "./local-post.ts";
import { beginReview, judgeState } from "./review.ts";

const CLOCK_SLACK_MS = MINUTE;
/** Of 100 posts. Google documents no order, so all of them are read. */
const MAX_PAGES = 10;

const NOT_SURE = "Google did not answer when the post was sent, and";

/** A post without a time counts as new. */
const isNew = ({ createTime }: ListedPost, from: number): boolean =>
  !(Date.parse(createTime ?? "") < from);

const isSame = (post: LocalPost, listed: ListedPost): boolean =>
  (listed.topicType ?? "STANDARD") === post.topicType &&
  comparable(listed.summary) === comparable(post.summary) &&
  comparable(listed.event?.title) === comparable(post.event?.title);

/** @throws Error when Google cannot tell yet whether the post exists */
export async function findPost(job: Job, readyAt: number): Promise<Reconciled> {
  const { platformAccountId } = job.account;
  const listed = await readPages<ListedPost>(async (page) => {
    const request = listPostsRequest(job.accessToken, platformAccountId, page);
    const reply = await readListPostsReply(await job.fetch(request));
    if (!reply.ok) return reply;
    return ok({ items: reply.value.localPosts, next: reply.value.nextPageToken });
  }, MAX_PAGES);
  if (!listed.ok) return toUnknowable(listed.error);
  const { items, isWhole } = listed.value;
  const post = toLocalPost(job.post);
  const same = items.filter((one) => isNew(one, readyAt - CLOCK_SLACK_MS) && isSame(post, one));
  const [only] = same;
  if (only && same.length === 1) {
    const judged = judgeState(job, only);
    return judged.kind === "failed" ? waiting(beginReview(job, only.name), 0) : judged;
  }
  if (only) return unknowable(`${NOT_SURE} the location has several posts like it.`);
  return isWhole
    ? { kind: "absent" }
    : unknowable(`${NOT_SURE} the location has more posts than Akimbo reads.`);
}
