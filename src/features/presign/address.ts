import { randomHex } from "../../core/ids.ts";

const KEY = /^presigned\/([1-9]\d{0,14})\/[0-9a-f]{32}$/;

/** Where the presigned objects of a team stand. */
export const presignedPrefix = (teamId: number): string => `presigned/${teamId}/`;

/** Makes the key of a new object, which nobody can guess. */
export const newObjectKey = (teamId: number): string => presignedPrefix(teamId) + randomHex(16);

/** Returns the team of a presigned object by its key; null for any other key. */
export function teamOfPresigned(objectKey: string): number | null {
  const team = KEY.exec(objectKey)?.[1];
  return team === undefined ? null : Number(team);
}

/** Addresses of an object, under our origin: none of them reaches storage itself. */
export const objectUrls = (origin: string, objectKey: string) => ({
  bucketUrl: `${origin}/storage/${objectKey}`,
  accessUrl: `${origin}/files/${objectKey}`,
});

const OBJECT_PATH = /^\/(?:storage|files)\/(presigned\/[1-9]\d{0,14}\/[0-9a-f]{32})$/;

/** Returns the object's key in an address as `objectUrls` makes them, under any origin; null for any other. */
export const keyInUrl = (url: string): string | null =>
  OBJECT_PATH.exec(url.slice(URL.parse(url)?.origin.length))?.[1] ?? null;

/**
 * Reads an address that a post names: the object's key of a bucketUrl or accessUrl, `changed` for any other
 * address of ours, and null for another origin's.
 */
export function readOwnUrl(origin: string, url: string): { objectKey: string } | "changed" | null {
  if (URL.parse(url)?.origin !== origin) return null;
  const objectKey = url.startsWith(`${origin}/`) && keyInUrl(url);
  return objectKey ? { objectKey } : "changed";
}
