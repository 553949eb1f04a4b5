import { hashClaimCode, isOpenClaim } from "../../core/claim-code.ts";
import { isBehind } from "../../core/database-errors.ts";
import { toEmail } from "../../core/email.ts";
import { AppError } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import type { OwnKeys } from "../../core/instance-keys.ts";
import { isSameText, sha256Hex } from "../../core/signature.ts";
import type { Deps } from "../../deps.ts";
import { bringUpToDate, theInstallation } from "../../durable/installation.ts";
import { findOwned } from "../auth/repo/people.ts";
import { startSession, type Visit } from "../sign-in/session.ts";
import { ownTeam } from "../teams/rules.ts";
import { insertOwner } from "./repo.ts";

/** How far an installation is. `codeFrom` says where the person finds the code. */
export type Standing =
  | { kind: "owned" }
  | { kind: "open"; codeFrom: "deployment" | "log" | null }
  | { kind: "broken" };

/**
 * Brings the database up to date first, so that a new instance has tables to look into. Why that fails is written to the
 * log alone: the page is public, and a database that does not answer cannot say whether it has an owner.
 */
async function standingOf(deps: Deps): Promise<Standing> {
  try {
    try {
      if (await findOwned(deps)) return { kind: "owned" };
    } catch (error) {
      if (!isBehind(error) || !deps.installation) throw error;
      const { failure } = await bringUpToDate(deps.installation);
      if (failure !== null) return broken(deps, failure);
      if (await findOwned(deps)) return { kind: "owned" };
    }
  } catch (error) {
    return broken(deps, error instanceof Error ? error.message : String(error));
  }
  if (isOpenClaim(deps.config.claim, deps.now())) return { kind: "open", codeFrom: "deployment" };
  return { kind: "open", codeFrom: deps.installation ? "log" : null };
}

function broken(deps: Deps, reason: string): Standing {
  deps.log({ event: "claim.database_failed", reason });
  return { kind: "broken" };
}

/** Makes a code when none works, and writes it to the log: only people of the Cloudflare account read it there. */
export async function openClaim(deps: Deps): Promise<Standing> {
  const standing = await standingOf(deps);
  if (standing.kind === "open" && standing.codeFrom === "log" && deps.installation) {
    const code = await theInstallation(deps.installation).openClaim(deps.now().getTime());
    if (code !== null) deps.log({ event: "claim.code", code });
  }
  return standing;
}

export interface ClaimForm {
  code: string;
  email: string;
}

export interface Claimed {
  cookie: string | null;
  token: string;
  /** The keys that the instance made itself, by the names of their variables. */
  keys: Partial<OwnKeys>;
}

export const claimOver = () =>
  new AppError(
    "FORBIDDEN",
    "This instance has an owner already, and cannot be claimed again. Sign in at /sign-in.",
    { status: 410 },
  );

/**
 * Makes the person the owner of the instance and signs them in.
 *
 * @throws AppError 410 for an instance with an owner, 400 for a wrong code or address, UNAVAILABLE
 */
export async function claimInstance(
  deps: Deps,
  visit: Visit,
  { code, email: text }: ClaimForm,
): Promise<Claimed> {
  const standing = await standingOf(deps);
  if (standing.kind === "owned") throw claimOver();
  if (standing.kind === "broken") throw new AppError("UNAVAILABLE", BROKEN);
  if (!(await isOwnCode(deps, code))) {
    deps.log({ event: "claim.wrong_code" });
    throw new AppError(
      null,
      "That is not the code of this instance, or the code is older than 24 hours. Copy the newest one and try again.",
    );
  }
  const email = toEmail(text);
  if (!email) throw new AppError(null, "That is not an e-mail address. Correct it and try again.");
  const token = `kmb_${randomHex(32)}`;
  const { name: teamName, slug: teamSlug } = ownTeam(email);
  const at = deps.now().getTime();
  const hint = `${token.slice(0, 8)}…${token.slice(-4)}`;
  const [users, , , tokens, [userId]] = await deps.db.run(
    insertOwner({ email, teamName, teamSlug, at }, { hash: await sha256Hex(token), hint }),
  );
  if (users !== 1 || tokens !== 1 || userId === undefined) throw claimOver();
  deps.log({ event: "claim.done", userId });
  const { installation } = deps;
  if (installation) await theInstallation(installation).endClaim();
  const cookie = await startSession(deps, visit, { userId, method: "link" });
  return { cookie, token, keys: await ownKeysOf(deps) };
}

export const BROKEN =
  "The database of this instance does not answer. Akimbo tries again with each visit. The reason is in the log of the Worker, in the line with claim.database_failed: open the Cloudflare dashboard, Workers, this Worker, Logs.";

async function isOwnCode(deps: Deps, code: string): Promise<boolean> {
  const hash = await hashClaimCode(code);
  const own = deps.installation ? await theInstallation(deps.installation).claim() : null;
  const claims = [deps.config.claim, own].filter((claim) => isOpenClaim(claim, deps.now()));
  return claims.map((claim) => isSameText(claim?.hash ?? "", hash)).includes(true);
}

async function ownKeysOf({ installation, ownKeys }: Deps): Promise<Partial<OwnKeys>> {
  if (!installation || ownKeys.length === 0) return {};
  const keys = await theInstallation(installation).keys();
  return Object.fromEntries(ownKeys.map((name) => [name, keys[name]]));
}
