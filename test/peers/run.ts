import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../../src/cli/program.ts";
import { createPlatformKey } from "../../src/core/instance-keys.ts";
import { startAkimbo } from "./akimbo.ts";
import { startPds } from "./bluesky.ts";
import { createChecks } from "./checks.ts";
import { createContractChecks } from "./contracts/checks.ts";
import { installIn } from "./install.ts";
import { readMastodonOptions, runMastodon } from "./mastodon.ts";
import { createOAuthChecks } from "./oauth-checks.ts";
import { createOAuthKeyChecks, KEYED_SITE } from "./oauth-key-checks.ts";
import { OAUTH_HOST } from "./oauth-walk.ts";
import { createPosting, type World } from "./posting.ts";
import { startRelay } from "./relay.ts";
import { runChecks, showLog } from "./run-checks.ts";
import { createThreadChecks } from "./thread-checks.ts";
import { createVideoChecks } from "./video-checks.ts";
import { startVideoService } from "./video-service.ts";

/** Leaves the Bluesky server out: what is sent is held against the vendors' contracts alone. */
const CONTRACTS_ONLY = "--contracts";

async function main(stopping: AbortSignal): Promise<number> {
  const mastodon = readMastodonOptions();
  if (mastodon) return summarize(...(await runMastodon(mastodon, stopping)));
  await installIn(import.meta.dirname);
  const contractChecks = createContractChecks();
  const failed = await runChecks(contractChecks, stopping);
  if (process.argv.includes(CONTRACTS_ONLY)) return summarize(contractChecks.length, failed);
  const [checks, failedThere] = await runBluesky(stopping);
  return summarize(contractChecks.length + checks, failed + failedThere);
}

function summarize(checks: number, failed: number): number {
  console.log(`\n${checks - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Publishes to a Bluesky server of one's own; how many checks there were, and how many failed. */
async function runBluesky(stopping: AbortSignal): Promise<[checks: number, failed: number]> {
  const folder = mkdtempSync(join(tmpdir(), "akimbo-peers-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const jwtSecret = randomBytes(32).toString("hex");

  console.log("\nStarting a Bluesky server and Akimbo …\n");
  const pds = await startPds(join(folder, "pds"), jwtSecret);
  const videoService = await startVideoService(pds.directory);
  // A server that grants access has to be known by an https address.
  const grantor = await startPds(join(folder, "grantor"), jwtSecret, OAUTH_HOST);
  const grantorOrigins = {
    "https://plc.directory": grantor.directory,
    "https://public.api.bsky.app": grantor.origin,
    [`https://${OAUTH_HOST}`]: grantor.origin,
  };
  const grantorRelay = await startRelay(grantor.origin);
  const akimbo = await startAkimbo(join(folder, "state"), {
    PLATFORM_ORIGINS: {
      ...grantorOrigins,
      [`https://${OAUTH_HOST}`]: grantorRelay.origin,
      "https://video.bsky.app": videoService.origin,
    },
  });
  const [author, friend] = await Promise.all([
    pds.createPerson("ada.test"),
    pds.createPerson("walter.test"),
  ]);
  const relay = await startRelay(pds.origin);
  const world: World = { akimbo, pds, relay, videoService, jwtSecret, author, friend };
  const posting = createPosting(world);
  const checks = [
    ...createChecks(world, posting),
    ...createThreadChecks(world, posting),
    ...createVideoChecks(world, posting),
    ...createOAuthChecks(akimbo, grantor, grantorRelay),
  ];
  const failed = await runChecks(checks, stopping);
  if (failed > 0) await showLog(akimbo);
  const grantorVideos = await startVideoService(grantor.directory, grantorOrigins);
  const blueskyKey = await createPlatformKey();
  const keyed = await startAkimbo(join(folder, "keyed"), {
    PLATFORM_ORIGINS: { ...grantorOrigins, "https://video.bsky.app": grantorVideos.origin },
    PUBLIC_URL: KEYED_SITE,
    BLUESKY_KEY: blueskyKey,
  });
  grantor.replaceOrigin(KEYED_SITE, keyed.origin);
  const keyedChecks = createOAuthKeyChecks(keyed, grantor, grantorVideos, blueskyKey);
  const keyedFailed = await runChecks(keyedChecks, stopping);
  if (keyedFailed > 0) await showLog(keyed);
  return [checks.length + keyedChecks.length, failed + keyedFailed];
}

await runProgram(main);
