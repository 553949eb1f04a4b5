import { createHmac } from "node:crypto";

const encode = (text: string): string => Buffer.from(text).toString("base64url");
const decode = (part: string): string => Buffer.from(part, "base64url").toString();

function splitToken(token: string): { header: string; claims: Record<string, unknown> } {
  const [header = "", payload = ""] = token.split(".");
  return { header, claims: JSON.parse(decode(payload)) as Record<string, unknown> };
}

/** The claims of a token, as they stand there. */
export const readClaims = (token: string): Record<string, unknown> => splitToken(token).claims;

/** When the token runs out and when it was issued. */
export function lifeOf(token: string): { expiresAt: Date; issuedAt: Date } {
  const { exp, iat } = readClaims(token);
  return { expiresAt: new Date(Number(exp) * 1_000), issuedAt: new Date(Number(iat) * 1_000) };
}

/** The same token as the PDS would have signed it, had its time run out a minute ago. */
export function expire(token: string, secret: string): string {
  const { header, claims } = splitToken(token);
  const exp = Math.floor(Date.now() / 1_000) - 60;
  const signed = `${header}.${encode(JSON.stringify({ ...claims, exp }))}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}
