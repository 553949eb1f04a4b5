import type { Fetch } from "../connector.ts";
import type { Credentials } from "../login.ts";

/** Returns true for a login by OAuth, whose tokens are of no use without its key. */
export const isGrant = ({ extra }: Credentials): boolean => extra?.dpopKey !== undefined;

/** The network, each call to which with this login's access token proves that its key is here too. */
export async function proveLogin(
  network: Fetch,
  { accessToken, extra }: Credentials,
): Promise<Fetch> {
  const key = extra?.dpopKey;
  // A login by app password needs no proof.
  if (key === undefined) return network;
  const { provingKey } = await import("./dpop.ts");
  return provingKey(network, key, accessToken);
}
