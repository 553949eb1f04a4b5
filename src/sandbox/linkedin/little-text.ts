const TOKEN =
  /@\[(?<mention>[^\]]*)\]\(urn:li:[\w:-]+\)|\{hashtag\|\\?#\|(?<hashtag>[^}]*)\}|\\(?<escaped>[\s\S])|(?<plain>#(?=[\p{L}\p{N}]))|(?<stray>[|{}@[\]()<>#*_~])/gu;

/** LinkedIn cuts a text silently at the first unescaped reserved character. */
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
