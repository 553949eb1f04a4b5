/** HMAC-SHA256, as anybody but us computes it. */
export async function hmac(
  secret: string | Uint8Array<ArrayBuffer>,
  data: string | Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const toBytes = (value: typeof data) =>
    typeof value === "string" ? new TextEncoder().encode(value) : value;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", toBytes(secret), algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, toBytes(data)));
}
