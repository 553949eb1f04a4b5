const MAX_ZONE_CHARACTERS = 64;

/** Returns the IANA zone as the runtime spells it; null for what is none, an offset such as +02:00 included. */
export function readZone(text: string): string | null {
  if (text.length > MAX_ZONE_CHARACTERS || !/^[a-z][\w+\-/]*$/i.test(text)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions();
    // An older name of a zone stays as it was given.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return null;
  }
}

/** Returns true for an http or https address without a password in it. */
export function isWebLink(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

/** Returns words as they are compared: trimmed, lower case, each once, none empty. */
export const toWords = (words: readonly string[]): string[] => [
  ...new Set(words.map((word) => word.trim().toLowerCase()).filter(Boolean)),
];

/** Returns hashtags as they are compared: as words, without the #. */
export const toHashtags = (tags: readonly string[]): string[] =>
  toWords(tags.map((tag) => tag.trim().replace(/^[#＃]/, "")));

/** Returns true for one hashtag, with or without its #. */
export const isHashtag = (text: string): boolean =>
  /^[#＃]?[\p{L}\p{M}\p{N}_]+$/u.test(text.trim());

/** The object key of a logo. Outside `media/`, where objects without a row are removed. */
export const logoKeyOf = (teamId: number, key: string): string => `branding/${teamId}/${key}`;

/** The logo's path on this host. Its random key cannot be guessed. */
export const logoPath = ({ objectKey }: { objectKey: string }): string => `/${objectKey}`;
