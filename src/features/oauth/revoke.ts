import { sha256Hex } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";
import type { Client } from "./clients.ts";
import { endGrant, grantOfToken } from "./repo/grants.ts";

/**
 * Ends the grant of an access or refresh token, if it is the client's own. Returns the grant's id, or null.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7009
 */
export async function revokeTokenText(
  { db, now }: Pick<Deps, "db" | "now">,
  client: Client,
  token: string,
): Promise<number | null> {
  const hash = await sha256Hex(token);
  const [[id]] = await db.run([grantOfToken({ hash, client: client.id })]);
  if (id === undefined) return null;
  await endGrant(db, id, now());
  return id;
}
