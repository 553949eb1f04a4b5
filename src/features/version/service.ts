import { AppError } from "../../core/errors.ts";
import { Malformed } from "../../core/readers.ts";
import { openRelease, type Release, upgradeRefusal } from "../../core/release.ts";
import { SECOND } from "../../core/time.ts";
import { VERSION } from "../../core/version.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { readText } from "../../platforms/kit/replies.ts";
import { isInstanceOwner } from "../auth/repo/people.ts";
import { withDeadline } from "../logins/platform-access.ts";
import { zoneOfTeam } from "../settings/repo.ts";
import { appliedMigrations } from "./repo.ts";

/** The owner waits for the page. */
const DEADLINE_MS = 5 * SECOND;

/** A release has some hundred files, of 150 bytes each. */
const MAX_RELEASE_BYTES = 1_000_000;

interface Newest {
  release: Release;
  isNewer: boolean;
  /** Migrations that the database has not had. */
  migrations: Release["migrations"];
  /** Why the running version cannot be replaced by this one. */
  refusal: string | null;
}

interface InstanceVersion {
  version: string;
  /** The version by Cloudflare's counting. Null in a local run. */
  deployed: Deps["deployment"];
  /** Names of files, oldest first. */
  migrations: string[];
  /** Of the team that the caller looks at. Null for UTC. */
  zone: string | null;
  /** Null when the owner has not allowed to ask for releases. */
  newest: Newest | { problem: string } | null;
}

/** @throws AppError FORBIDDEN unless the caller is the instance's owner */
export async function readVersion(ctx: Ctx): Promise<InstanceVersion> {
  const [[isOwner = false], [zone = null]] = await ctx.read("*", [
    isInstanceOwner({ user: ctx.user }),
    zoneOfTeam({ team: ctx.team }),
  ]);
  if (!isOwner) throw new AppError("FORBIDDEN", "Only the owner of this instance sees this page.");
  const migrations = await readMigrations(ctx);
  const newest = await findNewest(ctx, migrations);
  return { version: VERSION, deployed: ctx.deployment, migrations, newest, zone };
}

async function readMigrations({ db }: Pick<Deps, "db">): Promise<string[]> {
  try {
    const [applied] = await db.run([appliedMigrations()]);
    return applied;
  } catch (error) {
    if (String(error).includes("no such table: d1_migrations")) return [];
    throw error;
  }
}

async function findNewest(
  { config: { releases }, fetch }: Pick<Deps, "config" | "fetch">,
  applied: readonly string[],
): Promise<InstanceVersion["newest"]> {
  if (!releases) return null;
  try {
    const answer = await withDeadline(fetch, DEADLINE_MS)(releases.url);
    if (!answer.ok) {
      await answer.body?.cancel();
      return { problem: `${releases.url} answered ${answer.status}.` };
    }
    const release = await openRelease(await readShort(answer), releases.keys);
    const refusal = upgradeRefusal(VERSION, release);
    return {
      release,
      isNewer: release.version !== VERSION && refusal === null,
      migrations: release.migrations.filter(({ name }) => !applied.includes(name)),
      refusal,
    };
  } catch (error) {
    if (error instanceof Malformed) return { problem: `The release ${error.message}.` };
    return { problem: `${releases.url} did not answer.` };
  }
}

/** @throws Malformed for an answer that cannot be a release */
async function readShort(answer: Response): Promise<string> {
  const text = answer.body ? await readText(answer, MAX_RELEASE_BYTES) : "";
  if (text === null) throw new Malformed("is too large");
  return text;
}
