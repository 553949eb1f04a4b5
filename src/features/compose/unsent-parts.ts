import { AppError, type FieldError, fieldError, invalidFields } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { readJsonArray } from "../../platforms/kit/form-fields.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { activityLine } from "../activity/repo.ts";
import { textErrors } from "../content/bounds.ts";
import { costOfAll } from "../credits/rules.ts";
import { claimOf, duplicateOf, prepareText, textOf, withFiles } from "../limits/content-rules.ts";
import { claimHolders, postsAround } from "../limits/repo/compared.ts";
import type { MediaRow } from "../media/repo.ts";
import { type Part, textsOf, wholeText } from "../posts/parts.ts";
import { correctionRefusal } from "../posts/rules.ts";
import type { UploadRow } from "../posts/table.ts";
import { approvalOf, requireGood } from "./correct.ts";
import { changedTexts, otherFields } from "./correct-rules.ts";
import { editParts } from "./edit-parts.ts";
import { editedTexts } from "./edited-texts.ts";
import { type HouseRules, refuseViolations } from "./judge.ts";
import { changeParts } from "./repo/unsent-parts.ts";
import type { UploadEdit } from "./schema.ts";

const CHANGED = "Its text was changed since. Retry the post to send it.";

const locked = (message: string) => new AppError("UPLOAD_LOCKED", message);
const isOut = ({ status }: Part): boolean => status === "completed";

export async function editUnsentParts(
  ctx: Ctx,
  row: UploadRow,
  edit: UploadEdit,
  { files, rules }: { files: readonly MediaRow[]; rules: Omit<HouseRules, "cap" | "recent"> },
): Promise<UploadRow> {
  const refusal = correctionRefusal(ctx.actor, row);
  if (refusal) throw new AppError("FORBIDDEN", refusal);
  const { thread: _, first_comment: __, ...rest } = edit;
  const others = [...otherFields(rest, row), ...changedTexts(row, editedTexts(row, edit))];
  if (others.length > 0) {
    throw locked(
      `The post is published, so ${others.join(", ")} cannot be changed with its parts. Send thread and first_comment alone.`,
    );
  }
  const before = row.parts ?? [];
  const sent = textsSent(before, edit);
  const written = before.map((part, i) => ({ ...part, text: sent[i] ?? part.text }));
  const anew = await editParts(ctx, { ...row, parts: written }, {}, row, files);
  const texts = (anew.parts ?? []).map(({ text }) => text);
  if (texts.length !== before.length) throw invalidFields(anew.errors);
  requireUnchanged(before, texts);
  const parts = before.map((part, i) => withText(part, texts[i] ?? part.text));
  const after = { ...row, parts };
  await requirePaid(row, after);

  const text = await prepareText(wholeText(after, textOf(after)));
  const [recent] = await ctx.db.run([postsAround(ctx.team, row.id, ctx.now(), { at: row.sortAt })]);
  const compared = recent.filter(({ id }) => id !== row.id);
  const errors = [...textErrors(anew.raw), ...anew.errors];
  const judged = { text, rules: { ...rules, recent: compared }, errors };
  await requireGood(ctx, after, files, judged);
  const textDigest = await withFiles(text.digest, row.media);
  const set = { parts, textDigest, ...(await approvalOf(ctx, after)) };
  const claims = [claimOf({ ...after, textDigest }, row.sortAt, row.id) ?? []].flat();
  const [changed, , holders] = await ctx.db.run([
    changeParts(row, set, { before, claims, now: ctx.now() }),
    activityLine(ctx, "upload.edited", row.id),
    claimHolders(claims),
  ]);
  if (changed === 1) return { ...after, ...set };
  const [holder] = claims.length > 0 ? holders : [];
  if (holder) refuseViolations([duplicateOf(row.platform, holder)]);
  throw locked("The post has just changed. Read it again.");
}

function textsSent(parts: readonly Part[], edit: UploadEdit): string[] {
  const posts = parts.filter(({ kind }) => kind === "post");
  const list = edit.thread === undefined ? posts.map(({ text }) => text) : readList(edit.thread);
  if (list?.length !== posts.length) {
    throw locked(
      `The post is published: send the texts of all ${posts.length} parts of its thread, those that are out unchanged.`,
    );
  }
  if (edit.first_comment === undefined) return list;
  if (parts.length === posts.length) {
    throw locked("The post is published without a first comment, and gets none any more.");
  }
  const comment = edit.first_comment ?? "";
  if (comment.trim() === "") throw invalidFields([EMPTY_COMMENT]);
  return [...list, comment];
}

const EMPTY_COMMENT: FieldError = fieldError(
  "first_comment",
  "the post is published, and its comment cannot be taken off; write a text.",
);

function readList(thread: NonNullable<UploadEdit["thread"]> | null): string[] | null {
  const list = typeof thread === "string" ? readJsonArray(thread) : thread;
  const texts = (list ?? []).map((item) => {
    if (typeof item !== "object" || item === null) return item;
    const { text = "", ...others } = item as Record<string, unknown>;
    return Object.keys(others).length === 0 ? text : null;
  });
  return texts.every((text) => typeof text === "string") ? texts : null;
}

function requireUnchanged(before: readonly Part[], texts: readonly string[]): void {
  const at = before.findIndex((part, i) => isOut(part) && part.text !== texts[i]);
  if (at < 0) return;
  throw locked(`Part ${at + 1} is out, so its text cannot be changed here. Send it as it is.`);
}

function withText(part: Part, text: string): Part {
  if (text === part.text) return part;
  // What may be out is looked at before it is sent again.
  if (part.failureCode === "platform_processing_timeout") return { ...part, text };
  return { ...part, text, failureCode: null, errorMessage: CHANGED };
}

/** The credits of all parts were taken when the post went out. */
async function requirePaid(before: UploadRow, after: UploadRow): Promise<void> {
  const { name, paidPosts } = connectorOf(before.platform);
  if (!paidPosts) return;
  const [paid, price] = await Promise.all(
    [before, after].map((post) => costOfAll(paidPosts, textsOf(post))),
  );
  if (price === undefined || paid === undefined || price <= paid) return;
  throw locked(
    `With these texts the post costs ${price} ${name} credits, and ${paid} were taken when it went out. Leave the links out.`,
  );
}
