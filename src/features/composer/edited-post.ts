import { ZoneClock } from "../../core/zone.ts";
import type { editUpload } from "../compose/changes.ts";
import type { DraftContent } from "../drafts/table.ts";
import { EMPTY_CONTENT } from "./content.ts";
import type { EditableUpload } from "./repo.ts";
import { plannedAt, threadOf } from "./to-post.ts";

export function contentOf(upload: EditableUpload, zone: string | null): DraftContent {
  const { title, description, media, parts, scheduledFor } = upload;
  const at = scheduledFor ? new ZoneClock(zone ?? "UTC").wallTimeAt(scheduledFor.getTime()) : "";
  const files = media.flatMap((item) =>
    "sha256" in item && (item.role === undefined || item.role === "part")
      ? [{ mediaId: item.sha256, altText: item.altText ?? "" }]
      : [],
  );
  return {
    ...EMPTY_CONTENT,
    title: title ?? "",
    description: description ?? "",
    thread: (parts ?? [])
      .filter(({ kind }) => kind === "post")
      .map((part) => ({ text: part.text, media: part.media })),
    firstComment: parts?.find(({ kind }) => kind === "comment")?.text ?? "",
    media: files,
    when: { kind: "at", at, poolId: null },
  };
}

type UploadEdit = Parameters<typeof editUpload>[2];

/** Names only what was changed, because a platform may refuse a field that it was not sent. */
export function toEdit(
  content: DraftContent,
  before: DraftContent,
  zone: string | null,
): UploadEdit {
  const { title, description, firstComment, media, when } = content;
  const thread = threadOf(content);
  const scheduledFor = when.at === before.when.at ? null : plannedAt(when, zone);
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  const hasNewThread = !isSame(thread, before.thread);
  return {
    ...(title === before.title ? {} : { title }),
    ...(description === before.description ? {} : { description }),
    ...(hasNewThread ? { thread: thread.length > 0 ? thread : null } : {}),
    ...(firstComment === before.firstComment ? {} : { first_comment: firstComment || null }),
    ...(isSame(media, before.media)
      ? {}
      : { media: media.map(({ altText }) => ({ altText: altText || null })) }),
    ...(scheduledFor ? { scheduledFor } : {}),
  };
}
