import { formatBytes } from "../../../core/counts.ts";

const MB = 1_000_000;
const GIB = 1024 ** 3;

interface Route {
  /** Of POST /upload/presign. */
  name: string;
  maxBytes: number;
  tooLarge: string;
}

const OFFICE =
  /^application\/(?:pdf|msword|vnd\.(?:ms-powerpoint|openxmlformats-officedocument\.(?:presentationml\.presentation|wordprocessingml\.document)))$/;

const ROUTES: [RegExp, Route][] = [
  [
    /^image\/(?:jpeg|png|webp)$/,
    { name: "photos", maxBytes: 20 * MB, tooLarge: "A picture may have up to 20 MB" },
  ],
  [
    /^image\/gif$/,
    { name: "thumbnails", maxBytes: 20 * MB, tooLarge: "A picture may have up to 20 MB" },
  ],
  [
    /^video\//,
    { name: "youtube_videos", maxBytes: 10 * GIB, tooLarge: "A video may have up to 10 GiB" },
  ],
  [OFFICE, { name: "documents", maxBytes: 100 * MB, tooLarge: "A document may have up to 100 MB" }],
];

export type FileKind = "image" | "video" | "document";

export const kindOf = ({ type }: Blob): FileKind =>
  type.startsWith("image/") ? "image" : type.startsWith("video/") ? "video" : "document";

export const ACCEPTED =
  "image/jpeg,image/png,image/webp,image/gif,video/*,application/pdf,.doc,.docx,.ppt,.pptx";

const READABLE =
  "Choose a JPEG, PNG, WebP or GIF picture, a video, a PDF, or a Word or PowerPoint file.";

/** The route that takes the file, or the sentence that refuses it. */
export function routeFor(file: File): Route | string {
  if (file.size === 0) return "This file is empty. Choose another one.";
  const found = ROUTES.find(([types]) => types.test(file.type))?.[1];
  if (!found) {
    const isHeic = /hei[cf]$/i.test(file.type || file.name);
    return isHeic ? "No platform takes HEIC. Save the picture as JPEG, then add it." : READABLE;
  }
  if (file.size <= found.maxBytes) return found;
  return `${found.tooLarge}; this one has ${formatBytes(file.size)}. Choose a smaller one.`;
}
