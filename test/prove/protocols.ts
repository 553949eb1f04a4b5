import { SAMPLE_VIDEO_BASE64 } from "../../src/cli/sample-video.ts";
import type { Platform } from "../../src/core/platforms.ts";

export type CallKind = "step" | "submit" | "status" | "look-up" | "refresh" | "read";

/** A call to a platform, its body read. */
export interface Seen {
  method: string;
  url: URL;
  headers: Headers;
  /** Empty for what is no text. */
  body: string;
}

/** What the harness has to know of a platform to break it: nothing of what its connector does. */
export interface Protocol {
  platform: Platform;
  /** A refresh token works once and at once: whoever loses the reply has lost the login. */
  refreshesOnce: boolean;
  /** The form field that takes the post's text. */
  textField: "title" | "description";
  /** Adds what else a post of this platform needs; `i` counts the posts. */
  fill(fields: FormData, i: number): void;
  kindOf(call: Seen): CallKind;
  /** What a submit would publish: the same once more is a second post. Null: every call makes one. */
  keyOf(call: Seen): string | null;
}

const decode = (base64: string) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
const VIDEO = decode(SAMPLE_VIDEO_BASE64);
/** 64 x 64 and 32 x 32. */
const JPEG = decode(
  "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgoKC8oLzc3Nzc3N0E8QUNDQ0FBQUFDQ0NISEhVVVVISEhDQ0hIUFBVVVxfXFdXVVdfX2RkZHh4c3OMjJGsrM//xABMAAEBAAAAAAAAAAAAAAAAAAAABgEBAQAAAAAAAAAAAAAAAAAAAAYQAQAAAAAAAAAAAAAAAAAAAAARAQAAAAAAAAAAAAAAAAAAAAD/wAARCABAAEADASIAAhEAAxEA/9oADAMBAAIRAxEAPwCLASqJAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAf/2Q==",
);

export function addVideo(fields: FormData): void {
  fields.append("video", new Blob([VIDEO], { type: "video/mp4" }), "film.mp4");
}

export function addPhotos(fields: FormData, count: number): void {
  for (let n = 0; n < count; n++) {
    fields.append("photo", new Blob([JPEG], { type: "image/jpeg" }), `photo-${n}.jpg`);
  }
}

const formValue = ({ body }: Seen, name: string): string | null =>
  new URLSearchParams(body).get(name);

/** The last byte of the file is in it. */
export function isLastChunk({ headers }: Seen): boolean {
  const [, last, total] = /^bytes \d+-(\d+)\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
  return last !== undefined && Number(last) + 1 === Number(total);
}

const tiktok: Protocol = {
  platform: "tiktok",
  refreshesOnce: true,
  textField: "title",
  fill: (fields, i) => (i % 3 === 0 ? addPhotos(fields, 2) : addVideo(fields)),
  kindOf: (call) => {
    const { pathname } = call.url;
    if (pathname === "/v2/oauth/token/") return "refresh";
    if (pathname === "/v2/user/info/") return "read";
    if (pathname.endsWith("/status/fetch/")) return "status";
    if (pathname.endsWith("/video/list/")) return "look-up";
    if (pathname.endsWith("/content/init/")) return "submit";
    return call.method === "PUT" && isLastChunk(call) ? "submit" : "step";
  },
  keyOf: ({ url }) => url.searchParams.get("upload_id"),
};

const instagram: Protocol = {
  platform: "instagram",
  refreshesOnce: false,
  textField: "title",
  fill: (fields, i) => {
    if (i % 3 === 0) addVideo(fields);
    else addPhotos(fields, i % 3);
  },
  kindOf: (call) => {
    const { pathname, searchParams } = call.url;
    if (pathname === "/refresh_access_token") return "refresh";
    if (pathname.endsWith("/me")) return "read";
    if (pathname.endsWith("/media_publish")) return "submit";
    if (call.method === "POST") return "step";
    return /\/(?:media|stories)$/.test(pathname) || searchParams.get("fields") === "id,permalink"
      ? "look-up"
      : "status";
  },
  keyOf: (call) => formValue(call, "creation_id"),
};

/** The platforms whose real connectors are run against their simulators. */
export const PROTOCOLS: readonly Protocol[] = [tiktok, instagram];

export const findProtocol = (platform: string): Protocol | undefined =>
  PROTOCOLS.find((protocol) => protocol.platform === platform);
