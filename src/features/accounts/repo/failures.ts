import { sql } from "drizzle-orm";
import { preparedWrite } from "../../../db/client.ts";
import type { Params } from "../../../db/text.ts";

type ById = Params<{ id: string }>;

export const countFailure = preparedWrite(
  ({ id }: ById) => sql`UPDATE accounts SET failure_count = failure_count + 1 WHERE id = ${id}`,
);

export const forgetFailures = preparedWrite(
  ({ id }: ById) => sql`UPDATE accounts SET failure_count = 0 WHERE id = ${id}`,
);
