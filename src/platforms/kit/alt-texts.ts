import type { FieldError } from "../../core/errors.ts";
import type { Capabilities, Post } from "../connector.ts";
import type { Unpublished } from "../likeness.ts";
import { checksFor } from "./checks.ts";

type IsTaken<S> = (post: Post<S>, index: number) => boolean;

/** For likenesses. `isTaken`: the platform takes an alt text for this file. */
export function unsentAltTexts<S>(
  platform: string,
  post: Post<S>,
  isTaken: IsTaken<S> = () => false,
): Unpublished[] {
  const unsent = post.media.flatMap(({ altText }, index) =>
    altText && !isTaken(post, index) ? [{ position: index + 1, altText }] : [],
  );
  if (unsent.length === 0) return [];
  const positions = unsent.map(({ position }) => position).join(", ");
  const [files, them] =
    unsent.length === 1
      ? [`file ${positions}`, "it"]
      : [`files ${positions.replace(/, (\d+)$/, " and $1")}`, "them"];
  const label = `The alt text of ${files} is not published, because ${platform} takes none for ${them}`;
  return [{ label, text: [...new Set(unsent.map(({ altText }) => altText))].join("\n") }];
}

interface AltTextRule<S> {
  platform: string;
  capabilities: Pick<Capabilities, "mediaSupport"> & { limits: { altTextCharacters: number } };
  isTaken: IsTaken<S>;
  /** The alt text in the platform's own setting. */
  own?(settings: S, index: number): string | null;
  countCharacters?(text: string): number;
}

export function altTextsFor<S>({
  platform,
  capabilities,
  isTaken,
  own = () => null,
  countCharacters = (text) => text.length,
}: AltTextRule<S>) {
  const checks = checksFor(platform, capabilities);
  /** Returns an empty text for a file without one. */
  const textOf = (post: Post<S>, index: number): string =>
    isTaken(post, index) ? (post.media[index]?.altText ?? own(post.settings, index) ?? "") : "";
  return {
    textOf,
    textsOf: (post: Post<S>): string[] => post.media.map((_, index) => textOf(post, index)),
    unsent: (post: Post<S>): Unpublished[] => unsentAltTexts(platform, post, isTaken),
    /** Checks the common texts; the platform's own setting has a check of its own. */
    check: (post: Post<S>): FieldError[] =>
      post.media.flatMap(({ altText = "" }, index) => {
        const isSame = (other: number) =>
          isTaken(post, other) && post.media[other]?.altText === altText;
        const first = post.media.findIndex((_, other) => isSame(other));
        if (first !== index) return [];
        return checks.length("alt_text", `alt_text of file ${index + 1}`, {
          count: countCharacters(altText),
          max: capabilities.limits.altTextCharacters,
        });
      }),
  };
}
