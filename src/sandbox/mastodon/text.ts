import { countGraphemes } from "../../core/text.ts";
import { LINK_CHARACTERS } from "./instance.ts";

const URL_PATTERN = /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]/giu;
const REMOTE = /(?<=^|[^\w@/])(@[a-z0-9_.-]+)@[a-z0-9.-]+[a-z0-9]/gi;

/** Source: mastodon/mastodon, `status_length_validator.rb`. */
export const lengthOf = (text: string): number =>
  countGraphemes(text.replace(URL_PATTERN, "x".repeat(LINK_CHARACTERS)).replace(REMOTE, "$1"));

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);

/** The scheme of a link, and all behind its first 30 characters, are in hidden parts. */
function linked(url: string): string {
  const [scheme = ""] = /^https?:\/\/(?:www\.)?/i.exec(url) ?? [];
  const rest = url.slice(scheme.length);
  const hidden = (part: string) => (part ? `<span class="invisible">${escaped(part)}</span>` : "");
  const shown = `<span class="${rest.length > 30 ? "ellipsis" : ""}">${escaped(rest.slice(0, 30))}</span>`;
  return `<a href="${escaped(url)}" rel="nofollow noopener" translate="no" target="_blank">${hidden(scheme)}${shown}${hidden(rest.slice(30))}</a>`;
}

/** Source: mastodon/mastodon, `text_formatter.rb`. */
export function toHtml(text: string): string {
  if (text === "") return "";
  let html = "";
  let from = 0;
  for (const match of text.matchAll(URL_PATTERN)) {
    html += escaped(text.slice(from, match.index)) + linked(match[0]);
    from = match.index + match[0].length;
  }
  html += escaped(text.slice(from));
  const paragraphs = html
    .split(/\n{2,}/)
    .map((part) => `<p>${part.replaceAll("\n", "<br />")}</p>`);
  return paragraphs.join("");
}
