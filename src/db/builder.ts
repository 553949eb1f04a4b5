import { BaseSQLiteDatabase, SQLiteSyncDialect } from "drizzle-orm/sqlite-core";

/**
 * Drizzle's builder of statements. It reaches no database: what it builds is sent by `Db`. Loading it takes
 * longer than any other part of a fresh Worker's queue or tick, which write their statements as text.
 */
export const orm = new BaseSQLiteDatabase("sync", new SQLiteSyncDialect(), {} as never, undefined);
