import { randomHex } from "../../core/ids.ts";

const KEY = /^presigned\/([1-9]\d{0,14})\/[0-9a-f]{32}$/;

export const presignedPrefix = (teamId: number): string => `presigned/${teamId}/`;

export const newObjectKey = (teamId: number): string => presignedPrefix(teamId) + randomHex(16);

export function teamOfPresigned(objectKey: string): number | null {
  const team = KEY.exec(objectKey)?.[1];
  return team === undefined ? null : Number(team);
}

/** Both URLs are on this instance's origin, never the storage's. */
export const objectUrls = (origin: string, objectKey: string) => ({
  bucketUrl: `${origin}/storage/${objectKey}`,
  accessUrl: `${origin}/files/${objectKey}`,
});

const OBJECT_PATH = /^\/(?:storage|files)\/(presigned\/[1-9]\d{0,14}\/[0-9a-f]{32})$/;

/** Accepts URLs of any origin. */
export const keyInUrl = (url: string): string | null =>
  OBJECT_PATH.exec(url.slice(URL.parse(url)?.origin.length))?.[1] ?? null;

/** Returns `changed` for a URL on our origin without a key, null for a foreign origin. */
export function readOwnUrl(origin: string, url: string): { objectKey: string } | "changed" | null {
  if (URL.parse(url)?.origin !== origin) return null;
  const objectKey = url.startsWith(`${origin}/`) && keyInUrl(url);
  return objectKey ? { objectKey } : "changed";
}
