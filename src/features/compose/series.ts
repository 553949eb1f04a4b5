import { AppError, type FieldError } from "../../core/errors.ts";
import { isDraft, type UploadStatus } from "../../core/upload-status.ts";
import { named } from "../../db/named.ts";
import type { Ctx } from "../../deps.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { mayUse } from "../auth/rules.ts";
import { blocksOfTeam } from "../blocks/repo.ts";
import type { Block } from "../blocks/rules.ts";
import { postWarnings } from "../content/as-published.ts";
import { costOfAll, periodOf } from "../credits/rules.ts";
import {
  type Claim,
  createPreparer,
  DUPLICATE_WINDOW_MS,
  eachOnce,
  type RecentPost,
  textOf,
  toRecentPost,
} from "../limits/content-rules.ts";
import { claimHolders, recentPosts } from "../limits/repo/compared.ts";
import { accountFacts } from "../limits/repo/facts.ts";
import type { AccountFacts, Violation } from "../limits/rules.ts";
import { filesByHash } from "../media/repo.ts";
import { textsOf, wholeText } from "../posts/parts.ts";
import { ownPost } from "./batch.ts";
import { usesBlocks } from "./blocks.ts";
import { composePost, type NewRow } from "./compose.ts";
import { unknownAccount } from "./create.ts";
import { type Findings, SCOPE } from "./lookup.ts";
import { type CheckedFiles, checkMedia, readPresigned } from "./media.ts";
import { marksAlone, type NewMedia, type NewPost, writtenTexts } from "./new-post.ts";
import { hasNoSource, postsBySource, type SourcedPost } from "./repo/sources.ts";
import { claimsOf, storePosts } from "./store-posts.ts";

/** A post for one account. Each source makes one post, however often it is sent. */
export interface SeriesPost {
  sourceKey: string;
  accountId: string;
  post: NewPost;
}

export interface AcceptedPost {
  status: UploadStatus;
  scheduledFor: Date | null;
  warnings: readonly string[];
  /** Null in a dry run. */
  uploadId: number | null;
  /** True when an earlier call made the post. */
  isRepeated: boolean;
}

/** `isPassing`: the post may be accepted later, as it is. */
export interface RefusedPost {
  errors: FieldError[];
  isPassing: boolean;
}

export type SeriesResult = AcceptedPost | RefusedPost;

/** Posts that are read and stored together, in two round trips. */
const SLICE = 50;
const COMPARED_EACH = 60;
const MAX_TRIES = 5;

/**
 * Judges posts one after the other, and stores those that are accepted. A refused post does not stop the others.
 *
 * @throws AppError QUEUE_BUSY when other calls were faster five times; the slices before are stored
 */
export async function createSeries(
  ctx: Ctx,
  posts: readonly SeriesPost[],
  { isDryRun }: { isDryRun: boolean },
): Promise<SeriesResult[]> {
  const results: SeriesResult[] = [];
  const before: Accepted[] = [];
  for (let i = 0; i < posts.length; i += SLICE) {
    const slice = new Slice(ctx, posts.slice(i, i + SLICE), i);
    results.push(...(await (isDryRun ? slice.judge(before) : slice.store(before))));
  }
  return results;
}

interface Accepted {
  index: number;
  row: NewRow;
  recent: RecentPost;
  isStored: boolean;
}

type Judged = { accepted: Accepted; warnings: readonly string[] } | RefusedPost;

interface SliceFindings extends Findings {
  blocks: readonly Block[];
  made: SourcedPost[];
}

class Slice {
  private readonly ctx: Ctx;
  private readonly posts: readonly SeriesPost[];
  /** The place of its first post in the series. */
  private readonly offset: number;
  private readonly media: readonly NewMedia[];
  private readonly prepare = createPreparer();

  constructor(ctx: Ctx, posts: readonly SeriesPost[], offset: number) {
    this.ctx = ctx;
    this.posts = posts;
    this.offset = offset;
    this.media = posts.flatMap(({ post }) => post.media);
  }

  async judge(before: Accepted[]): Promise<SeriesResult[]> {
    const findings = await this.look({ countsDrafts: true });
    const judged = await this.judgeAll(findings, await this.files(findings), before);
    for (const one of judged) if (one && "accepted" in one) before.push(one.accepted);
    return this.toResults(findings, judged, () => null);
  }

  async store(before: Accepted[]): Promise<SeriesResult[]> {
    let claims: Claim[] = [];
    for (let losses = 0; losses < MAX_TRIES; losses++) {
      const findings = await this.look({ countsDrafts: losses > 0, claims });
      const files = await this.files(findings);
      const judged = await this.judgeAll(findings, files, before);
      const accepted = judged.flatMap((one) => (one && "accepted" in one ? [one.accepted] : []));
      const rows = accepted.map(({ row }) => row);
      claims = claimsOf(rows);
      const stored = await this.insert(rows, files, findings);
      if (!stored) continue;
      for (const one of accepted) before.push({ ...one, isStored: true });
      return this.toResults(findings, judged, (row) => stored.get(row) ?? null);
    }
    const message =
      "Other calls were faster and changed what this one needs. Send it again: what is made already is passed over.";
    throw new AppError("QUEUE_BUSY", message, { headers: { "Retry-After": "1" } });
  }

  private async insert(rows: NewRow[], presigned: CheckedFiles["presigned"], { facts }: Findings) {
    const refs = new Set(rows.flatMap(({ media }) => media.map(nameOfRef)));
    const media = this.media.filter((item) => !("sha256" in item) || refs.has(item.sha256));
    const call = { isNew: hasNoSource(this.ctx.team, keysOf(rows)), keep: () => [] };
    const posts = { rows, media, presigned, ...(facts[0] ? { plan: facts[0].plan } : {}) };
    const created = await storePosts(this.ctx, posts, call, null);
    return created && new Map(rows.map((row, i) => [row, created[i]?.id ?? 0]));
  }

  /** Files of posts that are made already are not read again. */
  private files({ made }: SliceFindings): Promise<CheckedFiles["presigned"]> {
    const keys = new Set(made.map(({ sourceKey }) => sourceKey));
    const open = this.posts.filter(({ sourceKey }) => !keys.has(sourceKey));
    const origin = this.posts[0]?.post.origin ?? "";
    const media = open.flatMap(({ post }) => post.media);
    return readPresigned(this.ctx, { media, overrides: {}, origin });
  }

  private async look({
    countsDrafts,
    claims = [],
  }: {
    countsDrafts: boolean;
    claims?: readonly Claim[];
  }): Promise<SliceFindings> {
    const { ctx, posts } = this;
    const now = ctx.now();
    const ids = [...new Set(posts.map(({ accountId }) => accountId))];
    const hashes = this.media.flatMap((item) => ("sha256" in item ? [item.sha256] : []));
    const { queries, read } = named({
      facts: accountFacts(ctx, ctx.team, ids, { countsDrafts }),
      recent: momentsOf(posts, now).map(({ accountId, at }) =>
        recentPosts(ctx.team, {
          accountId,
          at,
          windowMs: DUPLICATE_WINDOW_MS,
          mostEach: COMPARED_EACH,
        }),
      ),
      files: hashes.length > 0 ? filesByHash(ctx.team, hashes) : null,
      made: postsBySource(
        ctx.team,
        posts.map(({ sourceKey }) => sourceKey),
      ),
      holders: claims.length > 0 ? claimHolders(claims) : null,
      blocks: posts.some(({ post }) => usesBlocks(post)) ? blocksOfTeam({ team: ctx.team }) : null,
    });
    const { facts, recent, files, made, holders, blocks } = read(await ctx.read(SCOPE, queries));
    return {
      facts: facts.filter(({ account }) => mayUse(ctx.actor, account.id)),
      recent: eachOnce([...recent.flat(), ...(holders ?? [])]),
      files: files ?? [],
      made,
      blocks: blocks ?? [],
    };
  }

  /** Null for posts that an earlier call made. */
  private async judgeAll(
    findings: SliceFindings,
    presigned: CheckedFiles["presigned"],
    before: readonly Accepted[],
  ): Promise<(Judged | null)[]> {
    const made = new Set(findings.made.map(({ sourceKey }) => sourceKey));
    const accepted = [...before];
    const all: (Judged | null)[] = [];
    for (const [i, one] of this.posts.entries()) {
      if (made.has(one.sourceKey)) {
        all.push(null);
        continue;
      }
      const judged = await this.judgeOne(one, this.offset + i, { findings, presigned, accepted });
      if ("accepted" in judged) accepted.push(judged.accepted);
      all.push(judged);
    }
    return all;
  }

  private async judgeOne(
    { accountId, sourceKey, post }: SeriesPost,
    index: number,
    situation: {
      findings: SliceFindings;
      presigned: CheckedFiles["presigned"];
      accepted: readonly Accepted[];
    },
  ): Promise<Judged> {
    const { findings, presigned, accepted } = situation;
    const { ctx, prepare } = this;
    try {
      const found = findings.facts.find(({ account }) => account.id === accountId);
      if (!found) throw unknownAccount(accountId);
      const media = checkMedia(ctx, post.media, findings.files, presigned);
      const own = ownPost(ctx, post, { media, presigned }, found.account);
      const refused = [...own.refused, ...marksAlone(own.settings)];
      const unstored = accepted.filter(({ isStored }) => !isStored);
      const row = {
        ...(await composePost(
          ctx,
          { ...own, refused, dateField: "scheduledFor" },
          {
            facts: withPending(found, unstored),
            recent: [...findings.recent, ...accepted.map(({ recent }) => recent)].filter(
              (other) => other.accountId === accountId,
            ),
            taken: takenBefore(unstored, own.scheduledFor ?? ctx.now()),
            spoken: await costOf(unstored, found),
            blocks: findings.blocks,
            prepare,
          },
        )),
        sourceKey,
      };
      const text = await prepare(wholeText(row, textOf(row)));
      const recent = toRecentPost(
        { text, media: row.media, at: row.sortAt },
        { id: -index - 1, accountId },
      );
      const warnings = await postWarnings(ctx.config, row, writtenTexts(own));
      return { accepted: { index, row, recent, isStored: false }, warnings };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const isPassing = error.isPassing || error.code === "ACCOUNT_INACTIVE";
      return { errors: errorsOf(error), isPassing: isPassing && !isDuplicate(error) };
    }
  }

  private toResults(
    { made }: SliceFindings,
    judged: readonly (Judged | null)[],
    idOf: (row: NewRow) => number | null,
  ): SeriesResult[] {
    const bySource = new Map(made.map((one) => [one.sourceKey, one]));
    return judged.map((one, i): SeriesResult => {
      if (one && "errors" in one) return one;
      if (one) {
        const { row } = one.accepted;
        const { status, scheduledFor } = row;
        return {
          status,
          scheduledFor,
          warnings: one.warnings,
          uploadId: idOf(row),
          isRepeated: false,
        };
      }
      const earlier = bySource.get(this.posts[i]?.sourceKey ?? "");
      return {
        status: earlier?.status ?? "draft",
        scheduledFor: earlier?.scheduledFor ?? null,
        warnings: [],
        uploadId: earlier?.id ?? null,
        isRepeated: true,
      };
    });
  }
}

/** What is here already is not posted again when some days have passed. */
const isDuplicate = ({ extras }: AppError): boolean =>
  (extras?.violations as readonly Violation[] | undefined)?.some(
    ({ type }) => type === "duplicate_content",
  ) ?? false;

const nameOfRef = (ref: NewRow["media"][number]): string => ("sha256" in ref ? ref.sha256 : "");

const keysOf = (rows: readonly NewRow[]): string[] =>
  rows.flatMap(({ sourceKey }) => sourceKey ?? []);

/** The accounts and times around which earlier posts are read, each once. */
function momentsOf(posts: readonly SeriesPost[], now: Date) {
  const moments = posts.map(({ accountId, post }) => ({ accountId, at: post.scheduledFor ?? now }));
  return [...new Map(moments.map((one) => [`${one.accountId} ${one.at.getTime()}`, one])).values()];
}

function withPending(facts: AccountFacts, unstored: readonly Accepted[]): AccountFacts {
  const pending = unstored.filter(
    ({ row }) => row.accountId === facts.account.id && row.status === "pending",
  );
  const posts = pending.reduce((sum, { row }) => sum + row.posts, 0);
  return { ...facts, used: facts.used + posts, inProgress: facts.inProgress + pending.length };
}

const takenBefore = (unstored: readonly Accepted[], at: Date): number =>
  unstored.filter(({ row }) => isDraft(row.status) || periodOf(row.sortAt) === periodOf(at)).length;

async function costOf(unstored: readonly Accepted[], { account }: AccountFacts): Promise<number> {
  const { paidPosts } = connectorOf(account.platform);
  if (!paidPosts) return 0;
  const paid = unstored.filter(
    ({ row }) => row.platform === account.platform && !isDraft(row.status),
  );
  const costs = await Promise.all(paid.map(({ row }) => costOfAll(paidPosts, textsOf(row))));
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** An earlier post of the series has its place in it as its negative id. */
function errorsOf({ message, extras }: AppError): FieldError[] {
  const fields = extras.errors as FieldError[] | undefined;
  if (fields && fields.length > 0) return fields;
  const violations = (extras.violations ?? []) as Violation[];
  const isTwice = violations.some(({ uploadId }) => uploadId !== undefined && uploadId < 0);
  if (!isTwice) return [{ field: "", message }];
  const twice =
    "The same or a very similar post stands above in the file, for this account and time.";
  return [{ field: "", message: twice }];
}
