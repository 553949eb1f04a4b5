import type { Fetch } from "../connector.ts";
import type { Credentials } from "../login.ts";

export const isGrant = ({ extra }: Credentials): boolean => extra?.dpopKey !== undefined;

export async function proveLogin(
  network: Fetch,
  { accessToken, extra }: Credentials,
): Promise<Fetch> {
  const key = extra?.dpopKey;
  if (key === undefined) return network;
  const { provingKey } = await import("./dpop.ts");
  return provingKey(network, key, accessToken);
}
