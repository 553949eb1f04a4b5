export interface Mention {
  name: string;
  urn: string;
}

/** Mentions are written `@[Name](urn:…)`. */
const NAME = String.raw`(?:(?!@\[|\]\(urn:)[^\r\n])*`;
const URN = String.raw`urn:[^\s()]*`;

export const MENTION_PATTERN = String.raw`@\[${NAME}\]\(${URN}\)`;

const MENTION = new RegExp(String.raw`@\[(${NAME})\]\((${URN})\)`, "g");

export const writeMention = ({ name, urn }: Mention): string => `@[${name}](${urn})`;

export const hasMention = (text: string): boolean => text.search(MENTION) !== -1;

export function splitAtMentions(text: string): (string | Mention)[] {
  const parts: (string | Mention)[] = [];
  let from = 0;
  for (const match of text.matchAll(MENTION)) {
    const [whole, name = "", urn = ""] = match;
    parts.push(text.slice(from, match.index), { name, urn });
    from = match.index + whole.length;
  }
  return [...parts, text.slice(from)].filter((part) => part !== "");
}

const MAX_NESTED = 5;

export function plainMentions(text: string): string {
  let plain = text;
  for (let i = 0; i < MAX_NESTED && hasMention(plain); i++) plain = plain.replace(MENTION, "$1");
  return plain;
}
