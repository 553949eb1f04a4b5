const MAX_ZONE_CHARACTERS = 64;

/** Null for unknown zones and for offsets such as +02:00. */
export function readZone(text: string): string | null {
  if (text.length > MAX_ZONE_CHARACTERS || !/^[a-z][\w+\-/]*$/i.test(text)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions();
    // Keeps the given name, because the runtime renames deprecated zones.
    return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
  } catch {
    return null;
  }
}

/** Refuses addresses with a user name or password. */
export function isWebLink(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

export const toWords = (words: readonly string[]): string[] => [
  ...new Set(words.map((word) => word.trim().toLowerCase()).filter(Boolean)),
];

export const toHashtags = (tags: readonly string[]): string[] =>
  toWords(tags.map((tag) => tag.trim().replace(/^[#＃]/, "")));

export const isHashtag = (text: string): boolean =>
  /^[#＃]?[\p{L}\p{M}\p{N}_]+$/u.test(text.trim());

/** Outside `media/`, where objects without a row are removed every night. */
export const logoKeyOf = (teamId: number, key: string): string => `branding/${teamId}/${key}`;

export const logoPath = ({ objectKey }: { objectKey: string }): string => `/${objectKey}`;
