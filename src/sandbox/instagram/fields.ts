import {
  type GraphCall,
  graphError,
  invalidParameter,
  isReachable,
  mediaError,
  readFlag,
} from "../meta/graph.ts";

export type ContainerKind = "image" | "reel" | "story" | "carousel" | "child";

export interface ContainerFields {
  kind: ContainerKind;
  source: { kind: "image" | "video"; url: string } | null;
  caption: string;
  children: string[];
  received: Record<string, string>;
}

/** Source: Meta, "IG User Media", parameters. */
const MAX_CAPTION = 2_200;
const MAX_HASHTAGS = 30;
const MAX_MENTIONS = 20;
const MAX_ALT_TEXT = 1_000;
const MAX_USER_TAGS = 20;
const MAX_COLLABORATORS = 3;
const MIN_CHILDREN = 2;
const MAX_CHILDREN = 10;

const SHARED = ["caption", "location_id", "collaborators", "is_ai_generated"];
const ALLOWED: Record<ContainerKind, readonly string[]> = {
  image: ["image_url", "alt_text", "user_tags", ...SHARED],
  reel: [
    "media_type",
    "video_url",
    "share_to_feed",
    "cover_url",
    "thumb_offset",
    "user_tags",
    "audio_name",
    "trial_params",
    ...SHARED,
  ],
  story: ["media_type", "image_url", "video_url", "user_tags"],
  carousel: ["media_type", "children", "share_to_feed", ...SHARED],
  child: [
    "is_carousel_item",
    "media_type",
    "image_url",
    "video_url",
    "alt_text",
    "user_tags",
    "thumb_offset",
  ],
};

function kindOf(params: Map<string, string>): ContainerKind {
  const type = params.get("media_type");
  const isChild = readFlag(params, "is_carousel_item", false);
  switch (type) {
    case undefined:
      return isChild ? "child" : "image";
    case "VIDEO":
      if (isChild) return "child";
      throw invalidParameter(
        "VIDEO is no longer a supported media_type. Use the REELS media_type to publish a video.",
      );
    case "REELS":
      return "reel";
    case "STORIES":
      return "story";
    case "CAROUSEL":
      return "carousel";
    default:
      throw mediaError(100, 2207023, `The media type ${type} is unknown.`);
  }
}

function asJson(value: string, name: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw invalidParameter(`Param ${name} must be an array.`);
  }
}

function asUrl(value: string, name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what ASCII is
  const isAscii = /^[\x00-\x7f]*$/.test(value);
  if (!isAscii || !isReachable(value)) {
    throw mediaError(9004, 2207052, `The media could not be fetched from this URI: ${name}.`);
  }
  return value;
}

function checkCaption(caption: string): void {
  const hashtags = caption.match(/#[\p{L}\p{N}_]+/gu)?.length ?? 0;
  const mentions = caption.match(/(?<![\p{L}\p{N}_.])@[A-Za-z0-9_.]+/gu)?.length ?? 0;
  if (caption.length <= MAX_CAPTION && hashtags <= MAX_HASHTAGS && mentions <= MAX_MENTIONS) return;
  throw mediaError(
    36004,
    2207010,
    `The caption was too long. It may have ${MAX_CAPTION} characters, ${MAX_HASHTAGS} hashtags and ${MAX_MENTIONS} tags.`,
  );
}

const isUsername = (value: unknown): value is string =>
  typeof value === "string" && /^[a-z0-9._]{1,30}$/i.test(value);

const isShare = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= 1;

function checkUserTags(value: string, kind: ContainerKind, isImage: boolean): void {
  const tags = asJson(value, "user_tags");
  if (!Array.isArray(tags)) throw invalidParameter("Param user_tags must be an array.");
  if (tags.length > MAX_USER_TAGS) {
    throw mediaError(100, 2207040, `At most ${MAX_USER_TAGS} accounts can be tagged.`);
  }
  for (const tag of tags) {
    const { username, x, y } = (tag ?? {}) as Record<string, unknown>;
    if (!isUsername(username)) throw invalidParameter("Param user_tags: username is not valid.");
    const hasPlace = x !== undefined || y !== undefined;
    if (isImage && kind !== "story" && !(isShare(x) && isShare(y))) {
      throw mediaError(100, 2207035, "Tags of an image need x and y from 0 to 1.");
    }
    if (!isImage && kind !== "story" && hasPlace) {
      throw mediaError(100, 2207036, "Tags of a video have no position.");
    }
  }
}

function checkCollaborators(value: string): void {
  const names = asJson(value, "collaborators");
  if (!Array.isArray(names) || !names.every(isUsername)) {
    throw invalidParameter("Param collaborators must be an array of usernames.");
  }
  if (names.length > MAX_COLLABORATORS) {
    throw invalidParameter(`At most ${MAX_COLLABORATORS} collaborators can be invited.`);
  }
}

function checkTrial(value: string): void {
  const trial = asJson(value, "trial_params") as Record<string, unknown> | null;
  const strategy = trial?.graduation_strategy;
  if (strategy === "MANUAL" || strategy === "SS_PERFORMANCE") return;
  throw invalidParameter(
    "Param trial_params[graduation_strategy] must be one of MANUAL, SS_PERFORMANCE",
  );
}

function checkForms(params: Map<string, string>, kind: ContainerKind, isImage: boolean): void {
  for (const [name, value] of params) {
    switch (name) {
      case "caption":
        checkCaption(value);
        break;
      case "alt_text":
        if (!isImage || value.length > MAX_ALT_TEXT) throw invalidParameter("Param alt_text");
        break;
      case "user_tags":
        checkUserTags(value, kind, isImage);
        break;
      case "collaborators":
        checkCollaborators(value);
        break;
      case "location_id":
        if (!/^\d+$/.test(value)) throw invalidParameter("INVALID_LOCATION_ID");
        break;
      case "share_to_feed":
      case "is_ai_generated":
        readFlag(params, name, false);
        break;
      case "cover_url":
        asUrl(value, name);
        break;
      case "thumb_offset":
        if (!/^\d+$/.test(value)) throw invalidParameter("Param thumb_offset must be an integer");
        break;
      case "trial_params":
        checkTrial(value);
        break;
    }
  }
}

function readSource(
  params: Map<string, string>,
  kind: ContainerKind,
): { kind: "image" | "video"; url: string } {
  const image = params.get("image_url");
  const video = params.get("video_url");
  if (image !== undefined && video !== undefined) {
    throw invalidParameter("Only one of image_url and video_url can be given.");
  }
  const wantsVideo = kind === "reel" || (kind === "child" && params.has("media_type"));
  const wantsImage = kind === "image" || (kind === "child" && !params.has("media_type"));
  if (video !== undefined && !wantsImage) return { kind: "video", url: asUrl(video, "video_url") };
  if (image !== undefined && !wantsVideo) return { kind: "image", url: asUrl(image, "image_url") };
  throw invalidParameter(
    `The parameter ${wantsVideo ? "video_url" : wantsImage ? "image_url" : "image_url or video_url"} is required`,
  );
}

function readChildren(params: Map<string, string>): string[] {
  const text = params.get("children") ?? "";
  const list = text.startsWith("[") ? asJson(text, "children") : text.split(",").filter(Boolean);
  if (!Array.isArray(list)) throw invalidParameter("Param children must be an array.");
  if (list.length < MIN_CHILDREN || list.length > MAX_CHILDREN) {
    throw mediaError(
      100,
      2207028,
      `A carousel needs ${MIN_CHILDREN} to ${MAX_CHILDREN} items; this one has ${list.length}.`,
    );
  }
  return list.map(String);
}

export function readContainerFields({ var: { params } }: GraphCall): ContainerFields {
  const kind = kindOf(params);
  for (const name of params.keys()) {
    if (ALLOWED[kind].includes(name)) continue;
    throw graphError(100, `(#100) Param ${name} is not allowed for this media: ${kind}`);
  }
  const source = kind === "carousel" ? null : readSource(params, kind);
  checkForms(params, kind, source?.kind === "image");
  return {
    kind,
    source,
    caption: params.get("caption") ?? "",
    children: kind === "carousel" ? readChildren(params) : [],
    received: Object.fromEntries(params),
  };
}
