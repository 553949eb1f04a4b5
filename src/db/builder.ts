import { BaseSQLiteDatabase, SQLiteSyncDialect } from "drizzle-orm/sqlite-core";

/**
 * Drizzle's query builder, without a connection: `Db` sends the statements. Loading it is slower
 * than any other part of the queue or cron, which use hand-written SQL.
 */
export const orm = new BaseSQLiteDatabase("sync", new SQLiteSyncDialect(), {} as never, undefined);
