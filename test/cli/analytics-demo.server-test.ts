import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { inProject } from "../../src/cli/paths.ts";
import { PLATFORMS } from "../../src/core/platforms.ts";
import { newStateDir, startLocalService, TOKEN } from "./local-service.ts";

const run = promisify(execFile);
const DAYS = 3;

test("the demo lives through some days, and the service that is started on them shows their figures today", async () => {
  const stateDir = await newStateDir();
  const { PORT: _, ...others } = process.env;
  const demo = [inProject("src/cli/demo.ts"), "--analytics", "--days", String(DAYS), "--seed", "7"];
  const env = { ...others, STATE_DIR: stateDir, AKIMBO_DEMO_TOKEN: TOKEN };
  const { stdout } = await run(process.execPath, demo, { env });
  assert.match(stdout, /posts in 3 days, on \d+ platforms/);
  assert.match(stdout, /^sum +\d+ +\d+ +\d+/m);
  assert.ok(stdout.includes(`STATE_DIR=${stateDir} npm start`));
  // The folder is taken now.
  await assert.rejects(run(process.execPath, demo, { env }), /is not empty/);

  const service = await startLocalService({}, stateDir);
  try {
    const { data } = await service.api("GET", "/analytics/overview");
    assert.equal(data.overview.accountCount, PLATFORMS.length);
    assert.ok(data.overview.totalViews > 0);
    assert.deepEqual(data.syncErrors, []);
    assert.equal(data.platformHistory.length, PLATFORMS.length);
    assert.equal(data.dailyHistory.length, DAYS + 1);
    const ageMs = Date.now() - Date.parse(data.lastRefreshedAt);
    assert.ok(ageMs > 0 && ageMs < 25 * 3_600_000, data.lastRefreshedAt);
    assert.equal((await service.api("GET", "/accounts")).data.length, PLATFORMS.length);
  } finally {
    await service.stop();
  }
});
