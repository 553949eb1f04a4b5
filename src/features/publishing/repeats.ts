import type { RepeatRule } from "../../platforms/connector.ts";
import { essence } from "../limits/content-rules.ts";
import type { EarlierPost } from "../limits/repo/compared.ts";
import type { UploadRow } from "../posts/table.ts";

const MIN_LETTERS = 20;

type ComparedPost = Pick<UploadRow, "title" | "description" | "media">;

const filesOf = ({ media }: ComparedPost): string[] =>
  media.flatMap((item) =>
    "sha256" in item && item.role === undefined ? [item.content ?? item.sha256] : [],
  );

/** Returns why the post repeats an earlier one, by the letters and digits of its text or by a file; else null. */
export async function repeatRefusal(
  { refusal, reader }: RepeatRule,
  post: ComparedPost,
  earlier: readonly EarlierPost[],
): Promise<string | null> {
  const { textOf } = await reader();
  const text = essence(textOf(post));
  const isLong = [...text].length >= MIN_LETTERS;
  const files = new Set(filesOf(post));
  for (const other of earlier) {
    const what = filesOf(other).some((file) => files.has(file))
      ? "a file"
      : isLong && essence(textOf(other)) === text
        ? "the text"
        : null;
    if (what) {
      return other.uploadedAt
        ? `${refusal}: ${what} of this post was already in a post of ${other.uploadedAt.toISOString()}.`
        : `${refusal}: ${what} of this post is in post ${other.id}, which is being published.`;
    }
  }
  return null;
}
