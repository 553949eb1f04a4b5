import { isSigned, sign } from "./signature.ts";

/** A token of one kind does not open a link of another kind. */
type LinkKind = "connection link" | "review link" | "calendar feed" | "report" | "report picture";

const textOf = (kind: LinkKind, id: number): string => `${kind}|${id}`;

/** The token is the link's signed id, so that it need not be stored. */
export const linkToken = async (secret: string, kind: LinkKind, id: number): Promise<string> =>
  `${id}-${await sign(secret, textOf(kind, id))}`;

export async function readLinkToken(
  secret: string,
  kind: LinkKind,
  token: string,
): Promise<number | null> {
  const [, id = "", signature = ""] = /^([1-9]\d{0,14})-([0-9a-f]{64})$/.exec(token) ?? [];
  return (await isSigned(secret, textOf(kind, Number(id)), signature)) ? Number(id) : null;
}

export const reviewPath = async (secret: string, id: number): Promise<string> =>
  `/review/${await linkToken(secret, "review link", id)}`;
