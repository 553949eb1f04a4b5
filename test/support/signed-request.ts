import { sign } from "../../src/core/signature.ts";

const toBase64Url = (bytes: Uint8Array): string =>
  bytes.toBase64({ alphabet: "base64url", omitPadding: true });

/** Signs a payload as Meta does. @param payload an object, or JSON text for numbers as they stand */
export async function signedRequest(secret: string, payload: object | string): Promise<string> {
  const json = typeof payload === "string" ? payload : JSON.stringify(payload);
  const text = toBase64Url(new TextEncoder().encode(json));
  return `${toBase64Url(Uint8Array.fromHex(await sign(secret, text)))}.${text}`;
}
