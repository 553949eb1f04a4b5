import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import { orm } from "../../../db/builder.ts";
import { prepared, preparedWrite } from "../../../db/client.ts";
import { pickColumns, rowReader } from "../../../db/rows.ts";
import type { Params } from "../../../db/text.ts";
import { passkeys, tokens, users } from "../../auth/table.ts";

/** A number or SQL. */
interface Own {
  user: number | SQL;
}

const MAX_SHOWN = 100;

const PASSKEY = pickColumns(passkeys, ["id", "name", "deviceType", "backedUp", "createdAt"]);

export const passkeysOf = prepared(
  ({ user }: Params<Own>) =>
    orm
      .select(PASSKEY)
      .from(passkeys)
      .where(sql`${passkeys.userId} = ${user}`)
      .orderBy(desc(passkeys.id))
      .limit(MAX_SHOWN),
  rowReader(PASSKEY),
);

export const renamePasskey = preparedWrite(
  ({ user, id, name }: Params<Own & { id: number; name: string }>) =>
    orm
      .update(passkeys)
      .set({ name })
      .where(and(eq(passkeys.id, id), sql`${passkeys.userId} = ${user}`)),
);

export const removePasskey = preparedWrite(({ user, id }: Params<Own & { id: number }>) =>
  orm.delete(passkeys).where(and(eq(passkeys.id, id), sql`${passkeys.userId} = ${user}`)),
);

export const renamePerson = preparedWrite(({ user, name }: Params<Own & { name: string | null }>) =>
  orm.update(users).set({ name }).where(sql`${users.id} = ${user}`),
);

export const personById = prepared(
  ({ user }: Params<Own>) => orm.select().from(users).where(sql`${users.id} = ${user}`),
  rowReader(users),
);

const TOKEN = pickColumns(tokens, [
  "id",
  "name",
  "hint",
  "scopes",
  "teamId",
  "createdAt",
  "lastUsedAt",
  "revokedAt",
]);

export const tokensOf = prepared(
  ({ user }: Params<Own>) =>
    orm
      .select(TOKEN)
      .from(tokens)
      .where(sql`${tokens.userId} = ${user}`)
      .orderBy(desc(tokens.id))
      .limit(1_000),
  rowReader(TOKEN),
);
