import { countUtf8Bytes } from "../../core/text.ts";

/** An emoji with what modifies it; flags, keycaps and the parts of joined ones each by themselves. */
const EMOJI =
  /(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|[#*0-9]\uFE0F?(?=\u20E3))(?:\p{Emoji_Modifier}|\uFE0F|\u200D|\u20E3|[\u{E0020}-\u{E007F}])*/gu;

/**
 * The length of a text as Threads counts it: an emoji by its UTF-8 bytes, all else by UTF-16 units,
 * which is never less than what Threads may count.
 *
 * @see https://developers.facebook.com/docs/threads/posts
 */
export function countCharacters(text: string): number {
  const emoji = text.match(EMOJI)?.join("") ?? "";
  return text.length + countUtf8Bytes(emoji) - emoji.length;
}

/** Addresses as people write them; one without scheme begins with www. */
const LINK = /(?<![\p{L}\p{N}@_])(?:https?:\/\/|www\.)[^\s<>"]+/giu;
/** Signs that end a sentence, or a bracket that was opened before the address. */
const TRAILING = /[.,;:!?'"“”’)\]}…]+$/u;

/** Counts the different links in a text. */
export function countLinks(text: string): number {
  const links = [...text.matchAll(LINK)].map(([link]) => {
    const address = link.replace(TRAILING, "");
    const url = /^www\./i.test(address) ? `https://${address}` : address;
    return URL.canParse(url) ? new URL(url).href : url;
  });
  return new Set(links).size;
}
