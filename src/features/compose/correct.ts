import { AppError, type FieldError } from "../../core/errors.ts";
import { asSentence } from "../../core/text.ts";
import { addSeconds } from "../../core/time.ts";
import type { Ctx } from "../../deps.ts";
import type { Connector } from "../../platforms/connector.ts";
import type { ShownTexts, TextField } from "../../platforms/correction.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { abilityOf } from "../../platforms/removal.ts";
import { connectedAgain } from "../accounts/repo.ts";
import { accountRefusal } from "../accounts/rules.ts";
import type { AccountRow } from "../accounts/table.ts";
import { activityLine } from "../activity/repo.ts";
import { kindOfAddress, toPost } from "../content/as-published.ts";
import { contentHash } from "../content/version.ts";
import { claimOf, duplicateOf, prepareText, textOf, withFiles } from "../limits/content-rules.ts";
import { areUnclaimed, claimHolders, postsAround } from "../limits/repo/compared.ts";
import { toPublishAccount } from "../logins/platform-access.ts";
import { askForAnswer, toAppError } from "../logins/service.ts";
import type { MediaRow } from "../media/repo.ts";
import { wholeText } from "../posts/parts.ts";
import { ownUpload } from "../posts/repo/read.ts";
import type { Lease } from "../posts/repo/write.ts";
import {
  BEING_CHANGED,
  correctionObstacle,
  correctionRefusal,
  LEASE_SECONDS,
} from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { changedTexts, notEditable, otherFields, scopeAdvice } from "./correct-rules.ts";
import { editedTexts } from "./edited-texts.ts";
import {
  asJudged,
  fieldErrors,
  type HouseRules,
  judge,
  limitsOfAccount,
  refuseViolations,
} from "./judge.ts";
import { claimCorrection, finishCorrection, releaseCorrection } from "./repo/correct.ts";
import type { UploadEdit } from "./schema.ts";

type Calls = NonNullable<Connector["correction"]["calls"]>;

interface Work {
  ctx: Ctx;
  row: UploadRow;
  account: AccountRow;
  calls: Calls;
}

type Corrected =
  | { kind: "shown" }
  | { kind: "refused"; error: AppError }
  | { kind: "open"; error: AppError };

/** Changes the texts of a published post at its platform, then here. An unconfirmed edit is sent again. */
export async function correctUpload(
  ctx: Ctx,
  row: UploadRow,
  edit: UploadEdit,
  { files, rules }: { files: readonly MediaRow[]; rules: Omit<HouseRules, "cap" | "recent"> },
): Promise<UploadRow> {
  const texts = editedTexts(row, edit);
  const calls = requireCalls(ctx, row, edit, changedTexts(row, texts));
  if (changedTexts(row, texts).length === 0 && row.correction === null) return row;
  const shown = await textsToSend(calls, row, texts, files);
  const [[account], recent] = await ctx.db.run([
    connectedAgain(row.teamId, row.accountId),
    postsAround(ctx.team, row.id, ctx.now(), { at: row.sortAt }),
  ]);
  const others = recent.filter(({ id }) => id !== row.id);
  const after = { ...row, ...texts };
  const text = await prepareText(wholeText(after, textOf(after)));
  await requireGood(ctx, after, files, { text, rules: { ...rules, recent: others } });
  const work = { ctx, row, calls, account: requireUsable(ctx, row, account) };

  const textDigest = await withFiles(text.digest, row.media);
  const lease = await claim({ ...after, textDigest }, row, ctx);
  const corrected = await correct(work, shown);
  if (corrected.kind !== "shown") {
    await ctx.db.run([releaseCorrection(lease, corrected.kind === "open")]);
    throw corrected.error;
  }
  const set = { ...texts, textDigest, ...(await approvalOf(ctx, after)) };
  const [finished] = await ctx.db.runAll([
    ...finishCorrection(ctx, row, lease, set),
    activityLine(ctx, "upload.corrected", row.id),
  ]);
  if (finished !== 1) throw locked();
  return { ...row, ...set, correction: null };
}

const locked = (message = BEING_CHANGED) => new AppError("UPLOAD_LOCKED", message);

function requireCalls(
  { actor }: Ctx,
  row: UploadRow,
  edit: UploadEdit,
  changed: readonly TextField[],
): Calls {
  const connector = connectorOf(row.platform);
  const { name, correction } = connector;
  const { calls, fields } = correction;
  const reason = correctionObstacle(connector, row);
  if (!calls || reason) throw notEditable(row, reason ?? "");
  const other = [...otherFields(edit, row), ...changed.filter((field) => !fields.includes(field))];
  if (other.length > 0) {
    const message = `${other.join(", ")} cannot be changed any more, only ${fields.join(" and ")}.`;
    throw notEditable(row, `On ${name}, ${message}`);
  }
  const refusal = correctionRefusal(actor, row);
  if (refusal) throw new AppError("FORBIDDEN", refusal);
  return calls;
}

async function textsToSend(
  { textsOf }: Calls,
  row: UploadRow,
  texts: Pick<UploadRow, TextField>,
  files: readonly MediaRow[],
): Promise<ShownTexts> {
  const id = row.metadata?.videoId ?? "";
  const shownBy = (post: UploadRow) =>
    textsOf(
      toPost({ ...post, files }, (url) => kindOfAddress(url) ?? "image"),
      id,
    );
  const [before, after] = [await shownBy(row), await shownBy({ ...row, ...texts })];
  if (!after.ok) throw notEditable(row, after.error);
  const old: ShownTexts = row.correction === null && before.ok ? before.value : {};
  const changed = Object.entries(after.value).filter(
    ([field, text]) => old[field as TextField] !== text,
  );
  if (changed.length === 0) {
    const { name } = connectorOf(row.platform);
    throw notEditable(row, `the edit changes nothing that ${name} shows.`);
  }
  return Object.fromEntries(changed);
}

/** Judges settings as of the time of the post's creation. */
export async function requireGood(
  { config, db }: Ctx,
  row: UploadRow,
  files: readonly MediaRow[],
  {
    text,
    rules,
    errors: refused = [],
  }: {
    text: Awaited<ReturnType<typeof prepareText>>;
    rules: Omit<HouseRules, "cap">;
    errors?: readonly FieldError[];
  },
): Promise<void> {
  const { platform, status, title, description, media: refs, createdAt, sortAt: at } = row;
  const now = () => createdAt;
  const errors = fieldErrors(
    { texts: { title, description }, refused, date: { field: "scheduledFor", at: null } },
    createdAt,
  );
  const post = asJudged(row, files);
  const serverLimits = await limitsOfAccount({ db }, row);
  const subject = { platform, status, text, refs, at, account: null, serverLimits, post, errors };
  await judge({ config, now }, subject, { ...rules, cap: null });
}

function requireUsable(ctx: Ctx, row: UploadRow, account: AccountRow | undefined): AccountRow {
  if (!account) {
    const message =
      "The account of the post is disconnected. Connect it again, then edit the post.";
    throw new AppError("ACCOUNT_INACTIVE", message);
  }
  const refusal = accountRefusal(account, ctx.config);
  if (refusal) throw new AppError("ACCOUNT_INACTIVE", refusal);
  const connector = connectorOf(row.platform);
  const { name, correction } = connector;
  if (abilityOf(correction, toPublishAccount(account)) === "impossible") {
    const reason = `This login of ${name} may not edit posts.${scopeAdvice(connector)}`;
    throw notEditable(row, reason);
  }
  return account;
}

async function claim(after: UploadRow, row: UploadRow, ctx: Ctx): Promise<Lease> {
  const now = ctx.now();
  const { id, title, description } = after;
  const lease = { id, until: addSeconds(now, LEASE_SECONDS) };
  const claims = [claimOf(after, row.sortAt, id) ?? []].flat();
  const correction = { title, description, startedAt: now.toISOString() };
  const condition = areUnclaimed(claims);
  const [claimed, [current], holders] = await ctx.db.run([
    claimCorrection(row, correction, { now, until: lease.until, condition }),
    ownUpload(ctx.team, id),
    claimHolders(claims),
  ]);
  if (claimed === 1) return lease;
  const [holder] = claims.length > 0 ? holders : [];
  if (holder) refuseViolations([duplicateOf(row.platform, holder)]);
  const isLeased = (current?.unpublishLeaseUntil?.getTime() ?? 0) > now.getTime();
  throw locked(isLeased ? BEING_CHANGED : "The post has just changed. Read it again.");
}

async function correct({ ctx, row, account, calls }: Work, texts: ShownTexts): Promise<Corrected> {
  const connector = connectorOf(row.platform);
  const { name } = connector;
  const id = row.metadata?.videoId ?? "";
  const reply = await askForAnswer(ctx, account, (call) => calls.correct(call, id, texts));
  if (reply?.ok) return { kind: "shown" };
  const refusal = reply?.error ?? null;
  if (refusal instanceof AppError) return { kind: "refused", error: refusal };
  if (refusal?.failure.code === "rate_limited") {
    return { kind: "refused", error: toAppError(account, refusal) };
  }
  if (refusal && !refusal.transient) {
    const reason = `${name} refused the edit: ${asSentence(refusal.failure.message)}${scopeAdvice(connector)}`;
    return { kind: "refused", error: notEditable(row, reason) };
  }
  const seen = await askForAnswer(ctx, account, (call) => calls.shows(call, id, texts));
  if (seen?.ok && seen.value) return { kind: "shown" };
  const stand = seen?.ok ? "still shows the old text" : "does not say which text it shows";
  const message = `${name} did not answer, and ${stand}. Send the edit again.`;
  return {
    kind: "open",
    error: refusal ? toAppError(account, refusal) : new AppError("UNAVAILABLE", message),
  };
}

export async function approvalOf({ actor }: Ctx, row: UploadRow): Promise<Partial<UploadRow>> {
  if (row.approvedHash === null) return {};
  return {
    approvedHash: await contentHash(row),
    approvedBy: "team",
    approverId: actor.userId,
  };
}
