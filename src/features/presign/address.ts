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

const PATH = /^\/(?:storage|files)\/(presigned\/[1-9]\d{0,14}\/[0-9a-f]{32})$/;

/**
 * Reads an address that a post names: the object's key of a bucketUrl or accessUrl, `changed` for any other
 * address of ours, and null for somebody else's.
 */
export function readOwnUrl(origin: string, url: string): { objectKey: string } | "changed" | null {
  if (!URL.canParse(url) || new URL(url).origin !== origin) return null;
  const objectKey = url.startsWith(`${origin}/`) && PATH.exec(url.slice(origin.length))?.[1];
  return objectKey ? { objectKey } : "changed";
}
