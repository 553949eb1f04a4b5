import type { Refusal } from "../kit/refusal.ts";
import {
  type GraphCall,
  graphError,
  invalidParameter,
  isReachable,
  mediaError,
  readFlag,
} from "../meta/graph.ts";

export type ContainerKind = "text" | "image" | "video" | "carousel" | "child";

export interface ContainerFields {
  kind: ContainerKind;
  source: { kind: "image" | "video"; url: string } | null;
  text: string;
  children: string[];
  received: Record<string, string>;
}

/** Source: Threads API, "Posts" and "Changelog". */
const MAX_TEXT = 500;
const MAX_LINKS = 5;
const MAX_ALT_TEXT = 1_000;
const MIN_CHILDREN = 2;
const MAX_CHILDREN = 20;

const REPLY_CONTROLS = [
  "everyone",
  "accounts_you_follow",
  "mentioned_only",
  "parent_post_author_only",
  "followers_only",
];

/** Source: Threads API, "Publishing" reference. */
const OF_POST = ["media_type", "text", "reply_control", "reply_to_id", "topic_tag"];
const ALLOWED: Record<ContainerKind, readonly string[]> = {
  text: [...OF_POST, "link_attachment"],
  image: [...OF_POST, "image_url", "alt_text"],
  video: [...OF_POST, "video_url", "alt_text"],
  carousel: [...OF_POST, "children"],
  child: ["media_type", "is_carousel_item", "image_url", "video_url", "alt_text"],
};

const KINDS: Record<string, ContainerKind> = {
  TEXT: "text",
  IMAGE: "image",
  VIDEO: "video",
  CAROUSEL: "carousel",
};

function kindOf(params: Map<string, string>): ContainerKind {
  const type = params.get("media_type");
  if (type === undefined) throw invalidParameter("The parameter media_type is required");
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (!kind) {
    throw invalidParameter(`Param media_type must be one of {${Object.keys(KINDS).join(", ")}}`);
  }
  if (!readFlag(params, "is_carousel_item", false)) return kind;
  if (kind === "image" || kind === "video") return "child";
  throw invalidParameter("Only IMAGE and VIDEO can be items of a carousel");
}

/** An emoji counts by its UTF-8 bytes, any other character as one. */
function lengthOf(text: string): number {
  let length = 0;
  for (const character of text) {
    const isEmoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}/u.test(
      character,
    );
    length += isEmoji ? new TextEncoder().encode(character).length : 1;
  }
  return length;
}

function linksOf(text: string): string[] {
  const links = text.match(/(?:https?:\/\/|\bwww\.)[^\s<>"]+/gi) ?? [];
  return links.map((link) => link.replace(/[.,;:!?')\]}]+$/, ""));
}

function checkText(kind: ContainerKind, params: Map<string, string>): void {
  const text = params.get("text") ?? "";
  if (kind === "text" && text.trim() === "") {
    throw invalidParameter("The parameter text is required");
  }
  if (lengthOf(text) > MAX_TEXT) {
    throw invalidParameter(`Param text must be at most ${MAX_TEXT} characters long.`);
  }
  const attached = params.get("link_attachment");
  const links = new Set([...linksOf(text), ...(attached === undefined ? [] : [attached])]);
  if (links.size > MAX_LINKS) {
    throw graphError(100, "THREADS_API__LINK_LIMIT_EXCEEDED", {
      userMessage: `The post has ${links.size} links; it may have ${MAX_LINKS}.`,
    });
  }
}

function checkForms(params: Map<string, string>): void {
  const control = params.get("reply_control");
  if (control !== undefined && !REPLY_CONTROLS.includes(control)) {
    throw invalidParameter(`Param reply_control must be one of {${REPLY_CONTROLS.join(", ")}}`);
  }
  if ((params.get("alt_text") ?? "").length > MAX_ALT_TEXT) {
    throw invalidParameter(`Param alt_text must be at most ${MAX_ALT_TEXT} characters long.`);
  }
}

export const unreachable = (): Refusal =>
  mediaError(9004, 2207052, "The media could not be fetched from this URI.");

function readSource(params: Map<string, string>): ContainerFields["source"] {
  const kind = params.get("media_type") === "VIDEO" ? "video" : "image";
  const other = kind === "video" ? "image_url" : "video_url";
  if (params.has(other)) throw invalidParameter(`Param ${other} is not allowed for this media`);
  const url = params.get(`${kind}_url`);
  if (!url) throw invalidParameter(`The parameter ${kind}_url is required`);
  if (!isReachable(url)) throw unreachable();
  return { kind, url };
}

function readChildren(params: Map<string, string>): string[] {
  const children = (params.get("children") ?? "").split(",").filter(Boolean);
  if (children.length < MIN_CHILDREN || children.length > MAX_CHILDREN) {
    throw invalidParameter(
      `A carousel needs ${MIN_CHILDREN} to ${MAX_CHILDREN} children; this one has ${children.length}.`,
    );
  }
  return children;
}

export function readContainerFields({ var: { params } }: GraphCall): ContainerFields {
  const kind = kindOf(params);
  for (const name of params.keys()) {
    if (ALLOWED[kind].includes(name)) continue;
    throw invalidParameter(`Param ${name} is not allowed for this media: ${kind}`);
  }
  checkText(kind, params);
  checkForms(params);
  return {
    kind,
    source: kind === "text" || kind === "carousel" ? null : readSource(params),
    text: params.get("text") ?? "",
    children: kind === "carousel" ? readChildren(params) : [],
    received: Object.fromEntries(params),
  };
}
