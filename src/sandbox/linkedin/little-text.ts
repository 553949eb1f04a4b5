const TOKEN =
  /@\[(?<mention>(?:\\[\s\S]|[^\\|{}@[\]()<>#*_~])*)\]\((?<urn>urn:li:(?:person|organization):[\w-]+)\)|\{hashtag\|\\?#\|(?<hashtag>[^}]*)\}|\\(?<escaped>[\s\S])|(?<plain>#(?=[\p{L}\p{N}]))|(?<stray>[|{}@[\]()<>#*_~])/gu;

export interface Mention {
  name: string;
  urn: string;
}

/** LinkedIn cuts a text silently at the first unescaped reserved character. */
export function readCommentary(commentary: string): { text: string; mentions: Mention[] } {
  const mentions: Mention[] = [];
  let text = "";
  let from = 0;
  for (const match of commentary.matchAll(TOKEN)) {
    text += commentary.slice(from, match.index);
    from = match.index + match[0].length;
    const { mention, urn, hashtag, escaped, plain, stray } = match.groups ?? {};
    if (stray !== undefined) return { text, mentions };
    const name = mention?.replace(/\\([\s\S])/g, "$1");
    if (name !== undefined && urn !== undefined) mentions.push({ name, urn });
    text += name ?? (hashtag === undefined ? (escaped ?? plain ?? "") : `#${hashtag}`);
  }
  return { text: text + commentary.slice(from), mentions };
}
