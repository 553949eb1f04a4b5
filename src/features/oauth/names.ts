import { randomHex } from "../../core/ids.ts";

export const MAX_NAME = 80;

export const newClientId = (): string => `kmx_${randomHex(16)}`;

export const newSecret = (): string => `kms_${randomHex(32)}`;

/** Control characters and marks of direction could make a program's name look like another's. */
export const cleanName = (text: string): string =>
  text
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, MAX_NAME)
    .trim();
