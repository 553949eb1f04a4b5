import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll } from "vitest";
import { refuseUnknownEvents } from "./events.ts";
import { answerKnownImports } from "./imports.ts";

answerKnownImports();

/** Applies all migrations in one call: for each file anew they would be two dozen. */
const migrate = () =>
  env.DB.batch(
    env.TEST_MIGRATIONS.flatMap(({ queries }) => queries.map((query) => env.DB.prepare(query))),
  );

beforeAll(async () => {
  await reset();
  // What a file before this one had still under way may have been written behind the first.
  await reset();
  await migrate();
});

afterAll(refuseUnknownEvents);
