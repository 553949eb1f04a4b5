import { type FailureCode, toFailureObject } from "../../core/failures.ts";
import { asSentence } from "../../core/text.ts";
import type { UploadStatus } from "../../core/upload-status.ts";
import type { Post } from "../../platforms/connector.ts";
import type { PartKind } from "../../platforms/part-kinds.ts";

export interface Part {
  kind: PartKind;
  text: string;
  media: number[];
  status: Extract<UploadStatus, "pending" | "completed" | "failed">;
  platformPostId: string | null;
  shareUrl: string | null;
  failureCode: FailureCode | null;
  errorMessage: string | null;
}

export const NO_ACCOUNT_FOR_PARTS =
  "The account is no longer connected, so what is not out cannot be sent. Publish it on the platform yourself.";

interface Whole {
  status: UploadStatus;
  failureCode: FailureCode | null;
  part: number;
  parts: readonly Part[] | null;
}

export const PART_BEGINS = {
  stage: "preparing",
  bookmark: null,
  backoffs: 0,
  crashes: 0,
  restarts: 0,
  submits: 0,
  submittedAt: null,
  errorMessage: null,
} as const;

/** Leaves out the warnings of parts that are sent again, from `position` on. */
export const warningsBefore = (warnings: readonly string[], position: number): string[] =>
  warnings.filter((warning) => !(Number(/^Part (\d+): /.exec(warning)?.[1] ?? 0) >= position));

export const newPart = (content: Pick<Part, "kind" | "text" | "media">): Part => ({
  ...content,
  status: "pending",
  platformPostId: null,
  shareUrl: null,
  failureCode: null,
  errorMessage: null,
});

export const currentPart = ({ part, parts }: Pick<Whole, "part" | "parts">): Part | null =>
  parts?.[part - 1] ?? null;

export function positionToRetry({
  status,
  parts,
  unpublishedAt,
}: Pick<Whole, "status" | "parts"> & { unpublishedAt: Date | null }): number | null {
  if (
    unpublishedAt !== null ||
    status !== "completed" ||
    !parts?.some((part) => part.status === "failed")
  )
    return null;
  return parts.findIndex((part) => part.status !== "completed") + 1;
}

export function partFailure(
  post: Parameters<typeof positionToRetry>[0],
): { position: number; reason: string } | null {
  const position = positionToRetry(post);
  if (position === null) return null;
  const reason = post.parts?.[position - 1]?.errorMessage ?? "The reason is not known.";
  return { position, reason: asSentence(reason) };
}

export const partName = ({ kind }: Pick<Part, "kind">, position: number): string =>
  kind === "comment" ? "First comment" : `Post ${position + 1} of the thread`;

type Texts = Pick<Post, "title" | "description">;

export const textsOf = <T extends Texts & { parts?: readonly Part[] | null }>(post: T): Texts[] => [
  post,
  ...(post.parts ?? []).map(({ text }) => ({ title: null, description: text })),
];

export const wholeText = ({ parts }: { parts: readonly Part[] | null }, text: string): string =>
  [text, ...(parts ?? []).map((part) => part.text)].join("\n");

export const countPosts = (parts: readonly Part[] | null): number =>
  1 + (parts ?? []).filter(({ kind }) => kind === "post").length;

const POST_FAILED = "The post itself is not out, so this part was not sent.";

function statusOf({ status, part: current }: Whole, part: Part, position: number): UploadStatus {
  if (part.status !== "pending") return part.status;
  if (status !== "processing") return status;
  return position === current ? "processing" : "pending";
}

export const toPartAnswers = (whole: Whole) =>
  (whole.parts ?? []).map((part, i) => {
    const isUnsent = part.status === "pending" && whole.status === "failed";
    const code = isUnsent ? whole.failureCode : part.failureCode;
    return {
      position: i + 1,
      kind: part.kind,
      status: statusOf(whole, part, i + 1),
      text: part.text,
      platformPostId: part.platformPostId,
      shareUrl: part.shareUrl,
      failure: code === null ? null : toFailureObject(code),
      errorMessage: isUnsent ? POST_FAILED : part.errorMessage,
    };
  });
