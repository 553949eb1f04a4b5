import { AppError } from "../../core/errors.ts";
import { DAY, HOUR } from "../../core/time.ts";

const MB = 1_000_000;

const GB = 1_000_000_000;

const GIB = 1024 ** 3;

const MIB = 1024 ** 2;

interface Route {
  isMultipart: boolean;
  maxFiles: number;
  maxBytes: number;
  /** `video/*` allows every video. */
  types: readonly string[];
}

const ANY_VIDEO = ["video/*", "application/octet-stream"];

const OFFICE = "application/vnd.openxmlformats-officedocument";

const DOCUMENTS = [
  "application/pdf",
  "application/vnd.ms-powerpoint",
  `${OFFICE}.presentationml.presentation`,
  "application/msword",
  `${OFFICE}.wordprocessingml.document`,
];

const [JPEG, PNG, WEBP, GIF] = ["image/jpeg", "image/png", "image/webp", "image/gif"] as const;

const multipart = (maxBytes: number, types: readonly string[]): Route => ({
  isMultipart: true,
  maxFiles: 1,
  maxBytes,
  types,
});

const single = (maxFiles: number, maxBytes: number, types: readonly string[]): Route => ({
  isMultipart: false,
  maxFiles,
  maxBytes,
  types,
});

/** GB and MB are decimal, GiB is binary. Source: spec, "Presigned upload". */
export const ROUTES = {
  video: single(1, 5 * GB, ANY_VIDEO),
  tiktok_videos: multipart(4 * GB, ["video/mp4", "video/webm"]),
  youtube_videos: multipart(10 * GIB, ANY_VIDEO),
  pinterest_videos: multipart(2 * GB, ["video/mp4", "video/quicktime", "video/x-m4v"]),
  threads_videos: multipart(1 * GB, ["video/mp4", "video/quicktime"]),
  linkedin_videos: multipart(500 * MB, ["video/mp4"]),
  photos: single(35, 20 * MB, [JPEG, PNG, WEBP]),
  instagram_photos: single(10, 8 * MB, [JPEG, PNG, WEBP]),
  threads_photos: single(20, 8 * MB, [JPEG, PNG]),
  bluesky_photos: single(4, 2_000_000, [JPEG, PNG, WEBP, GIF]),
  thumbnails: single(1, 20 * MB, [JPEG, PNG, WEBP, GIF]),
  documents: single(1, 100 * MB, DOCUMENTS),
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof ROUTES;

export const ROUTE_NAMES = Object.keys(ROUTES) as [RouteName, ...RouteName[]];

export interface DeclaredFile {
  name: string;
  sizeBytes: number;
  /** Lower case, without parameters. */
  mime: string;
}

/** Source: spec, "Time limits". */
const MULTIPART_LIFE_MS = 6 * HOUR;

const SINGLE_LIFE_MS = HOUR;

export const lifeMsOf = (isMultipart: boolean): number =>
  isMultipart ? MULTIPART_LIFE_MS : SINGLE_LIFE_MS;

/** Source: spec, "Presigned upload". */
export const USAGE_WINDOW_MS = 30 * DAY;

/** Spec is silent: an unused file may be published this long. */
export const UNUSED_KEPT_MS = 7 * DAY;

const PART_BYTES = 16 * MIB;

/** Source: R2, "Limits". */
const MAX_PARTS = 10_000;

export const partBytesOf = (sizeBytes: number): number =>
  Math.max(PART_BYTES, Math.ceil(sizeBytes / MAX_PARTS / MIB) * MIB);

export interface Part {
  partNumber: number;
  size: number;
}

export const partsOf = (sizeBytes: number, partBytes: number): Part[] =>
  Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, i) => ({
    partNumber: i + 1,
    size: Math.min(partBytes, sizeBytes - i * partBytes),
  }));

/** @throws AppError UNKNOWN_ROUTE with `validRoutes` */
export function requireRoute(name: string): RouteName {
  const route = ROUTE_NAMES.find((one) => one === name);
  if (route) return route;
  throw new AppError("UNKNOWN_ROUTE", `There is no route with this name. Use one of validRoutes.`, {
    extras: { validRoutes: ROUTE_NAMES },
  });
}

const accepts = (types: readonly string[], mime: string): boolean =>
  types.some((type) => (type.endsWith("/*") ? mime.startsWith(type.slice(0, -1)) : type === mime));

/** @throws AppError TOO_MANY_FILES, FILE_TOO_LARGE or INVALID_FILE_TYPE, each with `limits` */
export function requireWithinLimits(name: RouteName, files: readonly DeclaredFile[]): void {
  const { maxFiles, maxBytes, types }: Route = ROUTES[name];
  const extras = { limits: { maxFiles, maxSize: maxBytes, types } };
  if (files.length > maxFiles) {
    const max = maxFiles === 1 ? "one file" : `${maxFiles} files`;
    const message = `${name} takes ${max} per call. Send the others in another call.`;
    throw new AppError("TOO_MANY_FILES", message, { extras });
  }
  for (const [i, { sizeBytes, mime }] of files.entries()) {
    if (sizeBytes > maxBytes) {
      const message = `files.${i}.size: ${name} takes files of up to ${maxBytes} bytes.`;
      throw new AppError("FILE_TOO_LARGE", message, { extras });
    }
    if (!accepts(types, mime)) {
      const message = `files.${i}.type: ${name} takes ${types.join(", ")}.`;
      throw new AppError("INVALID_FILE_TYPE", message, { extras });
    }
  }
}

/** Bytes presigned in a rolling 30 days. */
export interface Usage {
  used: number;
  /** Null: unlimited. */
  allowance: number | null;
  remaining: number | null;
  unlimited: boolean;
}

export const toUsage = (used: number, allowance: number | null): Usage => ({
  used,
  allowance,
  remaining: allowance === null ? null : Math.max(0, allowance - used),
  unlimited: allowance === null,
});

/** @throws AppError STORAGE_QUOTA_EXCEEDED with `usage` */
export function requireAllowance(used: number, allowance: number | null, requested: number): void {
  if (allowance === null || used + requested <= allowance) return;
  const usage = toUsage(used, allowance);
  const message = `These files have ${requested} bytes, and ${usage.remaining} are left of what your plan lets you presign in 30 days. Wait until earlier uploads are 30 days old, or take a larger plan.`;
  throw new AppError("STORAGE_QUOTA_EXCEEDED", message, { extras: { usage } });
}

export const toDatetime = (at: Date): string => at.toISOString().replace(/[-:]|\.\d{3}/g, "");

const PAGE_ROUTES: readonly RouteName[] = ["photos", "thumbnails", "youtube_videos", "documents"];

/** Says nothing of a file. */
const UNTOLD = "application/octet-stream";

/** For uploads by pages: the first that takes a file's type is its route. */
export const fileRoutes = () =>
  PAGE_ROUTES.map((name) => {
    const { maxBytes, types } = ROUTES[name];
    return { name, maxBytes, types: types.filter((type) => type !== UNTOLD) };
  });
