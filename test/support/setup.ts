import { applyD1Migrations, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll } from "vitest";
import { refuseUnknownEvents } from "./events.ts";
import { answerKnownImports } from "./imports.ts";

answerKnownImports();

beforeAll(async () => {
  await reset();
  // What a file before this one had still under way may have been written behind the first.
  await reset();
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS);
});

afterAll(refuseUnknownEvents);
