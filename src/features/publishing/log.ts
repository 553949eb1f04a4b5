import type { LogEntry } from "../../deps.ts";
import type { UploadRow } from "../posts/table.ts";

type Logged = Pick<UploadRow, "id" | "teamId" | "accountId" | "platform" | "attempt">;

/** One line of the log about a post, with the ids that other lines, the API and the database have too. */
export const postLine = (
  event: string,
  { id, teamId, accountId, platform, attempt }: Logged,
  fields: Omit<LogEntry, "event"> = {},
): LogEntry => ({ event, uploadId: id, teamId, accountId, platform, attempt, ...fields });
