import { isSigned, sign } from "./signature.ts";

/** Kinds of links that somebody opens without a sign-in: a token of one kind opens no other. */
type LinkKind = "connection link" | "review link";

const textOf = (kind: LinkKind, id: number): string => `${kind}|${id}`;

/** The token of a link: its id, signed, so that it can be shown again without being stored. */
export const linkToken = async (secret: string, kind: LinkKind, id: number): Promise<string> =>
  `${id}-${await sign(secret, textOf(kind, id))}`;

/** Returns the id of a link by its token; null for a forged one. */
export async function readLinkToken(
  secret: string,
  kind: LinkKind,
  token: string,
): Promise<number | null> {
  const [, id = "", signature = ""] = /^([1-9]\d{0,14})-([0-9a-f]{64})$/.exec(token) ?? [];
  return (await isSigned(secret, textOf(kind, Number(id)), signature)) ? Number(id) : null;
}

/** The path of the page on which a client reviews posts. */
export const reviewPath = async (secret: string, id: number): Promise<string> =>
  `/review/${await linkToken(secret, "review link", id)}`;
