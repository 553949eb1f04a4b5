import { ok, type Result } from "../../core/result.ts";
import { HOUR, MINUTE } from "../../core/time.ts";
import { postText } from "../kit/post-text.ts";
import {
  type MastodonRefusal,
  readSourceReply,
  readStatusesReply,
  type Status,
  sourceRequest,
  statusesRequest,
} from "./api.ts";
import type { Job, Ready } from "./bookmark.ts";
import { bareLetters, isSameText, mayShow, shownText } from "./html.ts";
import { idOf, serverOfAccount } from "./identity.ts";

/** Tolerance for differing clocks. */
const SLACK_MS = MINUTE;
/** A post of the same text that is so much older may be an earlier one, or ours by a clock that is late. */
const DOUBT_MS = HOUR;
const MAX_PAGES = 5;
/** Posts that are listed again by the next page: some servers order by time, and page by id. */
const OVERLAP = 4;
/** Their texts are read one by one. */
const MAX_LOOKED_AT = 20;

export type Search =
  | { kind: "one"; status: Status }
  | { kind: "several" }
  | { kind: "none"; isComplete: boolean };

const timeOf = ({ created_at }: Status): number => Date.parse(created_at);

/** The account's posts since `from` (epoch ms), which may end early. A time that cannot be read counts as new. */
async function listSince(
  job: Job,
  from: number,
): Promise<Result<{ statuses: Status[]; isComplete: boolean }, MastodonRefusal>> {
  const found = new Map<string, Status>();
  const since = () => [...found.values()].filter((one) => !(timeOf(one) < from || one.reblog));
  let olderThan: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { account, accessToken } = job;
    const request: Request = statusesRequest(
      serverOfAccount(account),
      accessToken,
      idOf(account),
      olderThan,
    );
    const reply: Awaited<ReturnType<typeof readStatusesReply>> = await readStatusesReply(
      await job.fetch(request),
    );
    if (!reply.ok) return reply;
    const { value: listed } = reply;
    const last = listed.at(-1);
    const hasNew = listed.some(({ id }) => !found.has(id));
    for (const status of listed) found.set(status.id, status);
    if (!last || !hasNew || timeOf(last) < from) return ok({ statuses: since(), isComplete: true });
    olderThan = (listed.at(-1 - OVERLAP) ?? last).id;
  }
  return ok({ statuses: since(), isComplete: false });
}

const isReplyTo = ({ in_reply_to_id }: Status, parent: string | undefined): boolean =>
  (in_reply_to_id ?? undefined) === parent;

function hasFiles({ media_attachments: files }: Status, mediaIds: readonly string[]): boolean {
  const ids = new Set(files.map(({ id }) => id));
  return ids.size === mediaIds.length && mediaIds.every((id) => ids.has(id));
}

/** Whether a post is worth a call. */
function isCandidate(job: Job, { mediaIds }: Ready, status: Status): boolean {
  if (!isReplyTo(status, job.replyTo?.parent)) return false;
  if (mediaIds.length > 0 && hasFiles(status, mediaIds)) return true;
  const { media_attachments: files, content } = status;
  return files.length === mediaIds.length && mayShow(content ?? "", postText(job.post));
}

type Likeness = "ours" | "perhaps" | "other";

const isFromBefore = (status: Status, { readyAt }: Ready): boolean =>
  !(timeOf(status) >= readyAt - SLACK_MS);

/** A file belongs to one post, but Friendica gives posted files new ids. Without files, the text decides. */
async function judge(job: Job, at: Ready, status: Status): Promise<Likeness> {
  const { mediaIds } = at;
  if (mediaIds.length > 0 && hasFiles(status, mediaIds)) return "ours";
  if (!(await hasText(job, status))) return "other";
  return mediaIds.length > 0 || isFromBefore(status, at) ? "perhaps" : "ours";
}

async function hasText(job: Job, status: Status): Promise<boolean> {
  const text = postText(job.post);
  const server = serverOfAccount(job.account);
  const source = await readSourceReply(
    await job.fetch(sourceRequest(server, job.accessToken, status.id)),
  );
  return source.ok
    ? isSameText(source.value.text, text)
    : bareLetters(shownText(status.content ?? "")) === bareLetters(text);
}

export async function findOwn(job: Job, at: Ready): Promise<Result<Search, MastodonRefusal>> {
  const listed = await listSince(job, at.readyAt - DOUBT_MS);
  if (!listed.ok) return listed;
  const statuses = listed.value.statuses.filter((status) => isCandidate(job, at, status));
  const ours: Status[] = [];
  let isPerhapsThere = false;
  for (const status of statuses.slice(0, MAX_LOOKED_AT)) {
    const likeness = await judge(job, at, status);
    if (likeness === "ours") ours.push(status);
    if (likeness === "perhaps") isPerhapsThere = true;
  }
  const [match, another] = ours;
  if (match && !another) return ok({ kind: "one", status: match });
  if (match || isPerhapsThere) return ok({ kind: "several" });
  const isComplete = listed.value.isComplete && statuses.length <= MAX_LOOKED_AT;
  return ok({ kind: "none", isComplete });
}
