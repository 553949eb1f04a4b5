import * as z from "zod";

const json = z.record(z.string(), z.unknown());

interface Jwt {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  signed: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
}

const URL_SAFE = { alphabet: "base64url" } as const;

const readPart = (part: string): Record<string, unknown> =>
  json.parse(JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(part, URL_SAFE))));

export function readJwt(text: string): Jwt | null {
  const [header = "", claims = "", signature = "", ...rest] = text.split(".");
  if (rest.length > 0) return null;
  try {
    return {
      header: readPart(header),
      claims: readPart(claims),
      signed: new Uint8Array(new TextEncoder().encode(`${header}.${claims}`)),
      signature: Uint8Array.fromBase64(signature, URL_SAFE),
    };
  } catch {
    return null;
  }
}

const publicKey = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
  d: z.never().optional(),
});

type PublicKey = z.infer<typeof publicKey>;

/** The header's ES256 public key; null for a private or other key. */
export const keyOf = ({ header }: Jwt): PublicKey | null =>
  publicKey.safeParse(header.jwk).data ?? null;

export async function isSignedBy({ signed, signature }: Jwt, key: PublicKey): Promise<boolean> {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  try {
    const imported = await crypto.subtle.importKey("jwk", key, curve, false, ["verify"]);
    return await crypto.subtle.verify(
      { name: "ECDSA", hash: "SHA-256" },
      imported,
      signature,
      signed,
    );
  } catch {
    return false;
  }
}

export async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toBase64({ ...URL_SAFE, omitPadding: true });
}

/** Source: RFC 7638, 3. */
export const thumbprintOf = ({ crv, kty, x, y }: PublicKey): Promise<string> =>
  digestOf(JSON.stringify({ crv, kty, x, y }));
