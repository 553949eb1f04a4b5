import extractUrlsWithIndices, {
  type FoundUrl,
} from "twitter-text/dist/esm/extractUrlsWithIndices.js";
import parseTweet from "twitter-text/dist/esm/parseTweet.js";

/** UTF-16 units. Counted in pieces, because twitter-text takes quadratic time on `a.a.a.a`. */
const PIECE_UNITS = 400;

function endOfPiece(text: string, from: number): number {
  const max = from + PIECE_UNITS;
  if (max >= text.length) return text.length;
  const space = text.slice(from + 1, max).search(/\s\S*$/);
  if (space >= 0) return from + 1 + space;
  return text.slice(from, max).isWellFormed() ? max : max - 1;
}

function* piecesOf(text: string): Generator<{ piece: string; from: number }> {
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from);
    yield { piece: text.slice(from, to), from };
    from = to;
  }
}

/** A link above `PIECE_UNITS` counts a little more than on X. */
export function weightOf(text: string): number {
  let weight = 0;
  for (const { piece } of piecesOf(text.normalize("NFC")))
    weight += parseTweet(piece).weightedLength;
  return weight;
}

export function linksOf(text: string): FoundUrl[] {
  return [...piecesOf(text)].flatMap(({ piece, from }) =>
    extractUrlsWithIndices(piece).map(({ url, indices: [start, end] }) => ({
      url,
      indices: [from + start, from + end],
    })),
  );
}
