import { sql } from "drizzle-orm";
import type { Deps } from "../../../deps.ts";
import { activityLineBy, INSERTED } from "../../activity/repo.ts";
import type { CodeRow } from "./codes.ts";

/** The line of the person who allowed the program. Follows the statement that inserts the token row. */
export const allowedLine = (deps: Pick<Deps, "now">, { teamId, userId }: CodeRow) =>
  activityLineBy(
    deps,
    teamId,
    {
      kind: "person",
      id: userId,
      name: sql`coalesce((SELECT email FROM users WHERE id = ${userId}), '')`,
    },
    "program.allowed",
    INSERTED,
  );
