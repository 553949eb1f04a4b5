import { type SQL, sql } from "drizzle-orm";
import { preparedWrite } from "../../../db/client.ts";
import type { Params } from "../../../db/text.ts";

interface Slice {
  before: Date;
  max: number;
}

const removeEndedOf = (table: SQL) =>
  preparedWrite(
    ({ before, max }: Params<Slice>) => sql`DELETE FROM ${table} WHERE hash IN (
      SELECT hash FROM ${table} WHERE expires_at < ${before} LIMIT ${max})`,
  );

export const removeEndedCodes = removeEndedOf(sql`oauth_codes`);
export const removeEndedRequests = removeEndedOf(sql`oauth_requests`);
export const removeEndedDevices = removeEndedOf(sql`oauth_devices`);
export const removeEndedAccess = removeEndedOf(sql`oauth_access`);

/** Replaced tokens stay for a while: one that comes back shows that it was stolen. */
export const removeReplacedRefresh = preparedWrite(
  ({ before, max }: Params<Slice>) => sql`DELETE FROM oauth_refresh WHERE hash IN (
    SELECT hash FROM oauth_refresh WHERE replaced_at < ${before} LIMIT ${max})`,
);

/** Programs that registered themselves and have no grant. */
export const removeUnusedClients = preparedWrite(
  ({ before, max }: Params<Slice>) => sql`DELETE FROM oauth_clients WHERE id IN (
    SELECT c.id FROM oauth_clients c WHERE c.team_id IS NULL
      AND coalesce(c.used_at, c.created_at) < ${before}
      AND NOT EXISTS (SELECT 1 FROM oauth_grants g JOIN tokens t ON t.id = g.id
        WHERE g.client_id = c.id AND t.revoked_at IS NULL)
    LIMIT ${max})`,
);

export const removeOldDocuments = preparedWrite(
  ({ before, max }: Params<Slice>) => sql`DELETE FROM oauth_documents WHERE url IN (
    SELECT url FROM oauth_documents d WHERE d.fetched_at < ${before}
      AND NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE g.client_id = d.url) LIMIT ${max})`,
);

/** A grant whose time is over is revoked, so that it leaves the list. */
export const revokeEndedGrants = preparedWrite(
  ({ before, max }: Params<Slice>) => sql`UPDATE tokens SET revoked_at = ${before} WHERE id IN (
    SELECT g.id FROM oauth_grants g JOIN tokens t ON t.id = g.id
    WHERE t.revoked_at IS NULL AND (g.idle_at < ${before} OR g.expires_at < ${before})
    LIMIT ${max})`,
);
