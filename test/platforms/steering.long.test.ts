import { test } from "vitest";
import { FAILURE_CODES } from "../../src/core/failures.ts";
import { isFull } from "../support/load.ts";
import { ROWS } from "./rows.ts";
import { expectFailures } from "./steering.ts";

const KINDS = ROWS.flatMap((row) =>
  Object.entries(row.kinds)
    .slice(0, isFull ? undefined : 1)
    .map(([name, kind]) => [row.as ?? row.platform, name, row, kind] as const),
);

test.each(KINDS)(
  "%s, %s: steering words end the post with each failure, at once",
  (_, __, row, kind) => expectFailures(row, kind, FAILURE_CODES),
  60_000,
);
