import { countUtf8Bytes } from "../../core/text.ts";

/** Flags and joined emoji match in parts, which gives the same count. */
const EMOJI =
  /(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|[#*0-9]\uFE0F?(?=\u20E3))(?:\p{Emoji_Modifier}|\uFE0F|\u200D|\u20E3|[\u{E0020}-\u{E007F}])*/gu;

/**
 * Counts emoji in UTF-8 bytes, the rest in UTF-16 units: never less than Threads.
 * @see https://developers.facebook.com/docs/threads/posts
 */
export function countCharacters(text: string): number {
  const emoji = text.match(EMOJI)?.join("") ?? "";
  return text.length + countUtf8Bytes(emoji) - emoji.length;
}

const LINK = /(?<![\p{L}\p{N}@_])(?:https?:\/\/|www\.)[^\s<>"]+/giu;
const TRAILING = /[.,;:!?'"“”’)\]}…]+$/u;

export function countLinks(text: string): number {
  const links = [...text.matchAll(LINK)].map(([link]) => {
    const address = link.replace(TRAILING, "");
    const url = /^www\./i.test(address) ? `https://${address}` : address;
    return URL.canParse(url) ? new URL(url).href : url;
  });
  return new Set(links).size;
}
