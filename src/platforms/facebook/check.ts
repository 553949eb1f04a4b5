import type { FieldError } from "../../core/errors.ts";
import { emptyIfBlank, nullIfBlank } from "../../core/text.ts";
import type { Post, PostMedia } from "../connector.ts";
import { altTextsFor } from "../kit/alt-texts.ts";
import { checksFor, isSurely, refuseIf } from "../kit/checks.ts";
import { capabilities } from "./capabilities.ts";
import type { FacebookSettings } from "./settings.ts";

const { limits, mediaSupport } = capabilities;
const checks = checksFor("Facebook", capabilities);

type FacebookPost = Post<FacebookSettings>;

export type Shape = "text" | "photo" | "album" | "video" | "reel";

export const messageOf = (post: Pick<Post, "title" | "description">): string =>
  emptyIfBlank(post.description) || emptyIfBlank(post.title);

export function shapeOf({ media, settings }: Pick<FacebookPost, "media" | "settings">): Shape {
  const [item] = media;
  if (!item) return "text";
  if (media.length > 1) return "album";
  const type = settings.media_type;
  if (item.kind === "video") return type === "REELS" ? "reel" : "video";
  if (type === null || isSurely("image", item)) return "photo";
  return type === "REELS" ? "reel" : "video";
}

export const altTexts = altTextsFor<FacebookSettings>({
  platform: "Facebook",
  capabilities,
  isTaken: (post, index) =>
    post.media[index]?.kind === "image" && ["photo", "album"].includes(shapeOf(post)),
});

function checkTexts({ title, description }: FacebookPost, shape: Shape): FieldError[] {
  const tooLong = (field: string, text: string | null, max: number) =>
    checks.length(field, `the ${field}`, { count: text?.length ?? 0, max });
  return [
    ...refuseIf(
      shape === "text" && nullIfBlank(description) === null,
      "description",
      "Add a description: it is the text of a Facebook post without media.",
    ),
    ...tooLong("description", description, limits.postCharacters),
    ...tooLong("title", title, limits.titleCharacters),
  ];
}

function checkFile(item: PostMedia, index: number, shape: Shape): FieldError[] {
  const field = "photo";
  if (item.kind === "document") return checks.document(index);
  if (item.kind === "image") return checks.file(item, { field, name: `Image ${index + 1}` });
  if (shape !== "album") return checks.file(item, { field: "video", name: "The video" });
  const message = `File ${index + 1} is a video; a Facebook album takes images only.`;
  return [{ field, message }];
}

function checkType({ media, settings }: FacebookPost): FieldError[] {
  const type = settings.media_type;
  if (type === null || !media.some((item) => isSurely("image", item))) return [];
  const message = `media_type ${type} does not fit an image; leave it out.`;
  return [{ field: "media_type", message }];
}

/** Source: spec, "Uploads: create" and "Content limits by platform". */
export function check(post: FacebookPost): FieldError[] {
  const shape = shapeOf(post);
  const { media } = post;
  return [
    ...checkTexts(post, shape),
    ...checks.count("photo", media.length, mediaSupport.maxCount, "images", "A Facebook album"),
    ...media.flatMap((item, index) => checkFile(item, index, shape)),
    ...checkType(post),
    ...altTexts.check(post),
  ];
}
