import type { MediaKind, PostMedia } from "../../platforms/connector.ts";
import type { Likeness, SettingWords, Unpublished } from "../../platforms/likeness.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { isSent, kindOfAddress, toPost } from "../content/as-published.ts";
import type { MediaRef } from "../posts/table.ts";
import type { ReviewPost } from "./repo/posts.ts";

export interface Shown extends Likeness {
  settings: SettingWords[];
}

type Subject = Pick<ReviewPost, "platform" | "title" | "description" | "settings"> & {
  media: readonly MediaRef[];
  files: readonly (PostMedia & { sha256: string })[];
};

const guessKind = (url: string): MediaKind => kindOfAddress(url) ?? "image";

const KIND_NAMES: Record<MediaKind, string> = {
  image: "a picture",
  video: "a video",
  document: "a document",
};

const wordsOf = ({ heading, text }: Likeness): string =>
  [heading, text].filter(Boolean).join("\n") || "None";

/** Texts that the post would have with other kinds of files: its file is not downloaded yet. */
async function textsOfOtherKinds(post: Subject, likeness: Likeness): Promise<Unpublished[]> {
  if (!post.media.some((ref) => isSent(ref) && "url" in ref)) return [];
  const connector = connectorOf(post.platform);
  const { kinds } = connector.capabilities.mediaSupport;
  const others = await Promise.all(
    kinds.map(async (kind) => ({
      label: `Text, if the file turns out to be ${KIND_NAMES[kind]}`,
      text: wordsOf(await connector.likeness(toPost(post, () => kind))),
    })),
  );
  return others.filter(({ text }) => text !== wordsOf(likeness));
}

function altTextWords({ altTexts }: Likeness): SettingWords[] {
  const texts = altTexts.map((text) => text.trim());
  const [first = "", ...others] = texts;
  const label = "Alternative text";
  if (others.every((text) => text === first)) return first ? [{ label, value: first }] : [];
  return texts.flatMap((value, i) =>
    value ? [{ label: `${label} of file ${i + 1}`, value }] : [],
  );
}

export async function describePost(stored: Subject): Promise<Shown> {
  const connector = connectorOf(stored.platform);
  const post = toPost(stored, guessKind);
  const likeness = await connector.likeness(post);
  return {
    ...likeness,
    unpublished: [...likeness.unpublished, ...(await textsOfOtherKinds(stored, likeness))],
    settings: [...altTextWords(likeness), ...(await connector.describeSettings(post))],
  };
}

const CHARACTERS_OF_LINE = 45;

/** Null for a text that is shown whole. */
export function cutLines({ shownLines, text }: Pick<Likeness, "shownLines" | "text">) {
  if (shownLines === null) return null;
  const lines = text.split("\n", shownLines + 1).length;
  return lines > shownLines || text.length > shownLines * CHARACTERS_OF_LINE ? shownLines : null;
}

export const altOf = (published: string | undefined, at: number, count: number): string =>
  published?.trim()
    ? published
    : count === 1
      ? "The picture of the post"
      : `Picture ${at + 1} of ${count}`;

const RATIOS = [
  ["r9x16", 9 / 16],
  ["r3x4", 3 / 4],
  ["r4x5", 4 / 5],
  ["r1x1", 1],
  ["r4x3", 4 / 3],
  ["r16x9", 16 / 9],
] as const;

/** A square when the size is unknown. */
export function ratioClass(width: number | null, height: number | null): string {
  const ratio = width && height ? width / height : 1;
  const off = (one: number) => Math.abs(Math.log(one / ratio));
  return RATIOS.reduce((best, one) => (off(one[1]) < off(best[1]) ? one : best))[0];
}
