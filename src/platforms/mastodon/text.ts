import { countGraphemes } from "../../core/text.ts";

const LINK = /(?<![\p{L}\p{N}@_/])https?:\/\/[\p{L}\p{N}][^\s<>"]*/giu;
const TRAILING = /(?<![.,;:!?'"“”’)\]}…])[.,;:!?'"“”’)\]}…]+$/u;
/** The server of a handle does not count. */
const SERVER_OF_HANDLE =
  /(?=@)(?<=(?<![\w/])@[\w.-]*\w)@[\p{L}\p{N}][\p{L}\p{N}.-]*[\p{L}\p{N}]/giu;

/**
 * Each address counts as `linkCharacters`, and a handle without its server.
 * @see https://docs.joinmastodon.org/user/posting/#text
 */
export function countCharacters(text: string, linkCharacters: number): number {
  let links = 0;
  const rest = text.replace(LINK, (link) => {
    links++;
    return TRAILING.exec(link)?.[0] ?? "";
  });
  return countGraphemes(rest.replace(SERVER_OF_HANDLE, "")) + links * linkCharacters;
}
