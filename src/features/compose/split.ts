const PARAGRAPH = /\n\s*\n/g;
const SPACE = /\s+/g;

function cutsOf(text: string): readonly ReadonlySet<number>[] {
  const paragraphs = new Set([...text.matchAll(PARAGRAPH)].map(({ index }) => index));
  const words = new Set([...text.matchAll(SPACE)].map(({ index }) => index));
  const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });
  const sentences = new Set(
    [...segmenter.segment(text)]
      .map(({ index, segment }) => index + segment.trimEnd().length)
      .filter((end) => words.has(end)),
  );
  return [paragraphs, sentences, words];
}

async function lastFitting(
  ends: readonly number[],
  fits: (end: number) => Promise<boolean>,
): Promise<number | null> {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await fits(ends[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return ends[low - 1] ?? null;
}

/**
 * Splits a text at paragraphs where possible, else at sentences, else at words. Returns null where a word alone does not
 * fit, or when there would be more than `max` pieces.
 */
export async function splitText(
  text: string,
  fits: (piece: string) => Promise<boolean>,
  max: number,
): Promise<string[] | null> {
  const pieces: string[] = [];
  let rest = text.trim();
  while (rest !== "") {
    if (pieces.length === max) return null;
    const current = rest;
    const end = (await fits(current)) ? current.length : await bestCut(current, fits);
    if (end === null) return null;
    pieces.push(current.slice(0, end).trimEnd());
    rest = current.slice(end).trimStart();
  }
  return pieces;
}

async function bestCut(
  text: string,
  fits: (piece: string) => Promise<boolean>,
): Promise<number | null> {
  for (const cuts of cutsOf(text)) {
    const ends = [...cuts].filter((end) => end > 0).sort((a, b) => a - b);
    const end = await lastFitting(ends, (at) => fits(text.slice(0, at).trimEnd()));
    if (end !== null) return end;
  }
  return null;
}
