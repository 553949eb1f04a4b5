/** A mention or a hashtag in its long form, an escaped character, a plain hashtag, or a stray one. */
const TOKEN =
  /@\[(?<mention>[^\]]*)\]\(urn:li:[\w:-]+\)|\{hashtag\|\\?#\|(?<hashtag>[^}]*)\}|\\(?<escaped>[\s\S])|(?<plain>#(?=[\p{L}\p{N}]))|(?<stray>[|{}@[\]()<>#*_~])/gu;

/**
 * The text of a commentary as readers see it. It ends silently at a reserved character that is not
 * escaped.
 */
export function shownText(commentary: string): string {
  let text = "";
  let from = 0;
  for (const match of commentary.matchAll(TOKEN)) {
    text += commentary.slice(from, match.index);
    from = match.index + match[0].length;
    const { mention, hashtag, escaped, plain, stray } = match.groups ?? {};
    if (stray !== undefined) return text;
    text += mention ?? (hashtag === undefined ? (escaped ?? plain ?? "") : `#${hashtag}`);
  }
  return text + commentary.slice(from);
}
