import { formatBytes } from "../../../core/counts.ts";
import { type FileRoute, fileRoutes } from "./routes.ts";

export type FileKind = "image" | "video" | "document";

export const kindOf = ({ type }: Blob): FileKind =>
  type.startsWith("image/") ? "image" : type.startsWith("video/") ? "video" : "document";

const NAMES = { image: "A picture", video: "A video", document: "A document" };

export const ACCEPTED = fileRoutes.flatMap(({ types }) => types).join();

const takes = ({ types }: FileRoute, mime: string): boolean =>
  types.some((type) => (type.endsWith("/*") ? mime.startsWith(type.slice(0, -1)) : type === mime));

const routeOf = (mime: string): FileRoute | undefined =>
  fileRoutes.find((route) => takes(route, mime));

export const mostOf = (mime: string): string => formatBytes(routeOf(mime)?.maxBytes ?? 0);

const READABLE =
  "Choose a JPEG, PNG, WebP or GIF picture, a video, a PDF, or a Word or PowerPoint file.";

export function routeFor(file: File): FileRoute | string {
  if (file.size === 0) return "This file is empty. Choose another one.";
  const found = routeOf(file.type);
  if (!found) {
    const isHeic = /hei[cf]$/i.test(file.type || file.name);
    return isHeic ? "No platform takes HEIC. Save the picture as JPEG, then add it." : READABLE;
  }
  if (file.size <= found.maxBytes) return found;
  const most = `${NAMES[kindOf(file)]} may have up to ${formatBytes(found.maxBytes)}`;
  return `${most}; this one has ${formatBytes(file.size)}. Choose a smaller one.`;
}
