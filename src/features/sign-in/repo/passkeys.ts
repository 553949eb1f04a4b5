import { sql } from "drizzle-orm";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { IS_OPEN } from "../../../db/open-accounts.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { passkeys } from "../../auth/table.ts";
import { userOfSession } from "./sessions.ts";

const MAX_LISTED = 100;

export const credentialsOfSession = prepared(
  (session: Params<{ hash: string; now: Date }>) =>
    sql`SELECT credential_id, transports FROM passkeys WHERE user_id = ${userOfSession(session)}
      ORDER BY id LIMIT ${MAX_LISTED}`,
  rowReader(pickColumns(passkeys, ["credentialId", "transports"])),
);

export const passkeyByCredential = prepared(
  ({ credentialId }: Params<{ credentialId: string }>) =>
    sql`SELECT * FROM passkeys WHERE credential_id = ${credentialId}`,
  rowReader(passkeys),
);

type NewPasskey = Omit<typeof passkeys.$inferSelect, "id">;

/** No row for a known credential or an account that was closed meanwhile. */
export const insertPasskey = preparedWrite(
  (key: Params<NewPasskey>) =>
    sql`INSERT INTO passkeys (user_id, name, credential_id, public_key, counter, device_type,
        backed_up, transports, aaguid, created_at)
      SELECT users.id, ${key.name}, ${key.credentialId}, ${key.publicKey}, ${key.counter},
        ${key.deviceType}, ${key.backedUp}, ${key.transports}, ${key.aaguid}, ${key.createdAt}
      FROM users WHERE users.id = ${key.userId} AND ${sql.raw(IS_OPEN)}
      ON CONFLICT (credential_id) DO NOTHING`,
);

/** Of concurrent sign-ins, the highest counter is kept. */
export const updateCounter = preparedWrite(
  ({ id, counter }: Params<{ id: number; counter: number }>) =>
    sql`UPDATE passkeys SET counter = max(counter, ${counter}) WHERE id = ${id}`,
);
