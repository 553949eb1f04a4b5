import type { Platform } from "../../src/core/platforms.ts";
import { connectorOf } from "../../src/platforms/registry.ts";
import { addPhotos } from "./files.ts";

/** Posts of a thread, the first included. */
const THREAD = 5;

/** What follows a post. */
export interface Following {
  posts: number;
  hasComment: boolean;
}

export const NOTHING: Following = { posts: 0, hasComment: false };

/** Every third post begins a thread and every second has a first comment, where the platform takes them. */
export function followingOf(platform: Platform, i: number): Following {
  const kinds = connectorOf(platform).followUps?.kinds ?? [];
  return {
    posts: kinds.includes("post") && i % 3 === 0 ? THREAD - 1 : 0,
    hasComment: kinds.includes("comment") && i % 2 === 1,
  };
}

export const hasThreads = (platform: Platform): boolean =>
  connectorOf(platform).followUps?.kinds.includes("post") === true;

/** Adds what follows the post to its form, to which no file is added after this. */
export function addParts(
  fields: FormData,
  text: string,
  { posts, hasComment }: Following,
  steering = "",
): void {
  if (hasComment) fields.set("first_comment", `${text} comment${steering}`);
  if (posts === 0) return;
  const file = fields.getAll("photo").length + fields.getAll("video").length;
  addPhotos(fields, 1);
  const thread = Array.from({ length: posts }, (_, i) => {
    const part = `${text} part ${i + 1}${steering}`;
    return i === 1 ? { text: part, media: [file] } : part;
  });
  fields.set("thread", JSON.stringify(thread));
}
