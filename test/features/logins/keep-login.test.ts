import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { accountById } from "../../../src/features/accounts/repo.ts";
import { openCredentials } from "../../../src/features/logins/platform-access.ts";
import { refreshLogin } from "../../../src/features/logins/refresh.ts";
import { connectorOf } from "../../../src/platforms/registry.ts";
import { type Around, aroundBatches } from "../../support/database.ts";
import { openStage, type Stage } from "../../support/stage.ts";

/** Platforms with refresh tokens that work once. */
const ROTATING = ["x", "tiktok", "pinterest"] as const;

const LOST = "D1_ERROR: Network connection lost.";

/** Whether a failing write takes effect: no, or yes without an answer. */
type Fate = "before" | "after";

/** Matches the statements in a JSON body. */
const RENEWAL = /"UPDATE accounts SET (?:(?! WHERE )[^;])*?credentials = /i;
const LEASE = "SET refresh_lease_until = ?";

/** Makes attempts to write a renewed login fail, one fate each. `meanwhile` runs at the first. */
function breakWrites(
  { harness }: Pick<Stage, "harness">,
  fates: readonly Fate[],
  meanwhile: () => Promise<unknown> = async () => {},
): () => number {
  let attempts = 0;
  const failing: Around = async (run, text) => {
    if (!RENEWAL.test(text)) return run();
    const fate = fates[attempts++];
    if (attempts === 1) await meanwhile();
    if (fate === "before") throw new Error(LOST);
    const results = await run();
    if (fate === "after") throw new Error(LOST);
    return results;
  };
  aroundBatches(harness, failing);
  return () => attempts;
}

async function onStage(platform: (typeof ROTATING)[number]) {
  const stage = await openStage(platform);
  return {
    ...stage,
    renew: async () => {
      const { deps } = stage.harness;
      const find = accountById(sql`${stage.member.teamId}`, stage.accountId);
      const [[account]] = await deps.db.run([find]);
      if (!account) throw new Error("There is no such account.");
      const credentials = await openCredentials(deps, account);
      return refreshLogin(deps, connectorOf(platform), account, credentials);
    },
    status: async () => (await stage.readAccount()).status,
  };
}

test.each(
  ROTATING.flatMap((platform) =>
    [["before"], ["after"], ["before", "after", "before"]].map(
      (fates) => [platform, fates as Fate[]] as const,
    ),
  ),
)("%s: a renewed login is kept where its write is lost (%j)", async (platform, fates) => {
  const stage = await onStage(platform);
  const attempts = breakWrites(stage, fates);
  expect(await stage.renew()).toMatchObject({ kind: "ready" });
  expect(attempts()).toBe(fates.length + 1);
  expect(await stage.status()).toBe("active");
  // A second renewal needs the refresh token of the stored login.
  expect(await stage.renew()).toMatchObject({ kind: "ready" });
  expect(await stage.status()).toBe("active");
});

test("a post whose login is renewed on the way goes out where that write is lost", async () => {
  const stage = await onStage("x");
  const attempts = breakWrites(stage, ["before", "before"]);
  const { upload } = await stage.publish({ title: "Hello [sandbox:token_expired]" });
  expect(upload).toMatchObject({ status: "completed" });
  expect(attempts()).toBe(3);
});

test("a login that a person gave anew meanwhile is not written over", async () => {
  const stage = await onStage("x");
  breakWrites(stage, ["before"], () => stage.connect());
  expect(await stage.renew()).toEqual({ kind: "busy" });
  expect(await stage.renew()).toMatchObject({ kind: "ready" });
  expect(await stage.status()).toBe("active");
});

test("an account taken for expired by its old login meanwhile is active again, and tells so", async () => {
  const stage = await onStage("x");
  const expired = "UPDATE accounts SET status = 'expired' WHERE id = ?";
  breakWrites(stage, ["after", "before"], () =>
    env.DB.prepare(expired).bind(stage.accountId).run(),
  );
  expect(await stage.renew()).toMatchObject({ kind: "ready" });
  expect(await stage.status()).toBe("active");
  expect(await stage.events()).toEqual([
    "connected_account.connected",
    "connected_account.connected",
  ]);
});

test("the write is given up in the end, and the failure told", async () => {
  const stage = await onStage("x");
  const attempts = breakWrites(stage, Array<Fate>(100).fill("before"));
  await expect(stage.renew()).rejects.toThrow(LOST);
  expect(attempts()).toBeGreaterThan(10);
  expect(attempts()).toBeLessThan(40);
});

test("a login that somebody else renewed meanwhile is not lost by the refusal of the old one", async () => {
  const stage = await onStage("x");
  let isFirst = true;
  const standing: Around = async (run, text) => {
    const results = await run();
    if (!text.includes(LEASE) || !isFirst) return results;
    isFirst = false;
    // The worker stands still for longer than its lease.
    stage.harness.advance(120);
    expect(await stage.renew()).toMatchObject({ kind: "ready" });
    return results;
  };
  aroundBatches(stage.harness, standing);
  expect(await stage.renew()).toEqual({ kind: "busy" });
  expect(await stage.status()).toBe("active");
  expect(await stage.events()).toEqual(["connected_account.connected"]);
});
