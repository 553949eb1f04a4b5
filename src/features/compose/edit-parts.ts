import { type FieldError, fieldError } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import type { PostMedia } from "../../platforms/connector.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { described, kindOfAddress, UNKNOWN_FILE } from "../content/as-published.ts";
import { accountFacts } from "../limits/repo/facts.ts";
import { capViolation, type Violation } from "../limits/rules.ts";
import type { MediaRow } from "../media/repo.ts";
import { countPosts, type Part } from "../posts/parts.ts";
import type { MediaRef, UploadRow } from "../posts/table.ts";
import { targetOf } from "./judge.ts";
import { type MediaRole, type RawSettings, WITH_THREAD } from "./new-post.ts";
import { readParts } from "./parts.ts";
import type { UploadEdit } from "./schema.ts";

type Texts = Pick<UploadRow, "title" | "description">;

export interface EditedParts {
  texts: Texts;
  parts: Part[] | null;
  posts: number;
  media: MediaRef[];
  raw: RawSettings;
  errors: FieldError[];
  cap: Violation | null;
}

interface OwnFile {
  role: MediaRole;
  ref: MediaRef;
  media: PostMedia;
}

const isThreadPost = ({ kind }: Part): boolean => kind === "post";

/** The files of settings and a thumbnail have no number in a thread. */
function toChecked(ref: MediaRef, files: readonly MediaRow[]): OwnFile {
  const known = "sha256" in ref ? files.find(({ sha256 }) => sha256 === ref.sha256) : undefined;
  const kind = "sha256" in ref ? ref.kind : (kindOfAddress(ref.url) ?? "image");
  const media = described(known ?? { ...UNKNOWN_FILE, kind }, ref);
  if (ref.role !== undefined && ref.role !== "part") return { role: "thumbnail", ref, media };
  const { role: _, ...ofPost } = ref;
  return { role: "photo", ref: ofPost, media };
}

function rawThread(
  { thread }: UploadEdit,
  kept: readonly Part[],
  media: readonly OwnFile[],
): string {
  if (thread === undefined) {
    const numbered = media.filter(({ role }) => role === "photo");
    const numberOf = (i: number) => numbered.findIndex((item) => item.ref === media[i]?.ref);
    const items = kept.map((part) => ({ text: part.text, media: part.media.map(numberOf) }));
    return items.length > 0 ? JSON.stringify(items) : "";
  }
  if (thread === null || thread.length === 0) return "";
  return typeof thread === "string" ? thread : JSON.stringify(thread);
}

function withoutMark(texts: Texts, edit: UploadEdit, thread: readonly Part[]): Texts {
  const end = (position: number) => ` ${position}/${thread.length + 1}`;
  if (edit.thread === undefined || !thread[0]?.text.endsWith(end(2))) return texts;
  const unmarked = (field: keyof Texts) =>
    edit[field] === undefined && texts[field]?.endsWith(end(1))
      ? texts[field].slice(0, -end(1).length)
      : texts[field];
  return { title: unmarked("title"), description: unmarked("description") };
}

function misuse(edit: UploadEdit, thread: readonly Part[]): FieldError[] {
  const { thread: sent, thread_marks: marks, title, description } = edit;
  if (marks !== undefined && (sent ?? "").length === 0) {
    return [fieldError("thread_marks", WITH_THREAD)];
  }
  const isAuto = typeof sent === "string" && sent.trim().toLowerCase() === "auto";
  const hasText = title !== undefined || description !== undefined;
  if (!isAuto || hasText || thread.length === 0) return [];
  return [fieldError("thread", "the post is a thread already; send its whole text with auto.")];
}

export async function editParts(
  ctx: Ctx,
  row: UploadRow,
  edit: UploadEdit,
  values: Texts & Pick<UploadRow, "scheduledFor" | "media">,
  files: readonly MediaRow[],
): Promise<EditedParts> {
  const [[facts]] = await ctx.db.run([accountFacts(ctx, ctx.team, [row.accountId])]);
  const now = ctx.now();
  const at = values.scheduledFor ?? now;
  const target = facts ? targetOf(facts.account, now, at) : { now, at };
  const thread = (row.parts ?? []).filter(isThreadPost);
  const comment = row.parts?.find(({ kind }) => kind === "comment")?.text ?? "";
  const media = values.media.map((ref) => toChecked(ref, files));
  const raw: RawSettings = {
    thread: rawThread(edit, thread, media),
    thread_marks: edit.thread_marks === undefined ? "" : String(edit.thread_marks ?? ""),
    first_comment: edit.first_comment === undefined ? comment : (edit.first_comment ?? ""),
  };
  const texts = withoutMark(values, edit, thread);
  const whole = { raw, texts, media, settings: row.settings };
  const read = await readParts(connectorOf(row.platform), whole, target);
  const parts = read.parts.length > 0 ? read.parts : null;
  const posts = countPosts(parts);
  const isMore = row.status === "pending" && posts > row.posts;
  return {
    texts: read.texts,
    parts,
    posts,
    media: read.media.flatMap((item) => ("ref" in item ? [item.ref] : [])),
    raw,
    errors: [...misuse(edit, thread), ...read.errors],
    cap: isMore && facts ? capViolation(ctx, facts, posts) : null,
  };
}
