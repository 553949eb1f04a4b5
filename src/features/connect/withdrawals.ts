import { AppError, notFound } from "../../core/errors.ts";
import { isPlatform, type Platform } from "../../core/platforms.ts";
import { isSigned, sign } from "../../core/signature.ts";
import { MINUTE, SECOND } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { PlatformMessage, Withdrawal } from "../../platforms/consent.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { appKeysOf } from "../accounts/platform-access.ts";
import type { AccountRow } from "../accounts/table.ts";
import {
  accountsOfPerson,
  eraseAccount,
  revokeAccount,
  tellOfWithdrawal,
  type Withdrawn,
} from "./repo/withdrawals.ts";

/** The clocks of a platform and of this service may differ by this much. Spec is silent. */
const CLOCK_SKEW_MS = 5 * MINUTE;

/** A person who withdrew their consent at a platform. */
interface WithdrawnConsent extends Pick<Withdrawn, "platform" | "platformUserId"> {
  /** Time of the platform's report: accounts connected later stay as they are. Null: now. */
  at?: Date | null;
}

const toWithdrawn = (
  deps: Pick<Deps, "now">,
  { platform, platformUserId, at }: WithdrawnConsent,
): Withdrawn => ({
  platform,
  platformUserId,
  until: new Date((at ?? deps.now()).getTime() + CLOCK_SKEW_MS),
});

/**
 * Marks the accounts of a person as revoked, in every team: their logins are deleted, and each team gets an
 * event. The accounts can be connected again. A repeated call changes nothing.
 *
 * @param platformUserId the person, or the account, as the platform knows them; nobody for an unknown one
 * @returns the number of accounts that were found
 */
export async function withdrawAccounts(deps: Deps, consent: WithdrawnConsent): Promise<number> {
  const person = toWithdrawn(deps, consent);
  const [accounts] = await deps.db.run([accountsOfPerson(person)]);
  const writes = accounts.flatMap((account) => [
    tellOfWithdrawal(deps, account, person),
    revokeAccount(account, person),
  ]);
  return write(deps, "consent.withdrawn", { person, accounts, writes });
}

/**
 * Deletes the data that a platform gave about a person and their accounts, disconnected ones included, in every team.
 * Posts that were waiting for them end; the record of those that were made stays with the teams.
 *
 * @returns the number of accounts
 */
export async function eraseAccounts(deps: Deps, consent: WithdrawnConsent): Promise<number> {
  const person = toWithdrawn(deps, consent);
  const [{ endPlansOf }, [accounts]] = await Promise.all([
    import("../disconnect/endings.ts"),
    deps.db.run([accountsOfPerson(person)]),
  ]);
  const writes = accounts.flatMap((account) => [
    tellOfWithdrawal(deps, account, person),
    eraseAccount(account, person, deps.now()),
    ...endPlansOf(deps, account),
  ]);
  return write(deps, "consent.erased", { person, accounts, writes });
}

async function write(
  deps: Deps,
  event: string,
  found: { person: Withdrawn; accounts: AccountRow[]; writes: Query<unknown>[] },
): Promise<number> {
  const { person, accounts, writes } = found;
  if (writes.length > 0) await deps.db.runAll(writes);
  deps.log({ event, platform: person.platform, accounts: accounts.length });
  return accounts.length;
}

/**
 * Reads a message of a platform about a person who withdrew their consent.
 *
 * @throws AppError NOT_FOUND for a platform that sends none, FORBIDDEN for a message that is not signed by it
 */
export async function readWithdrawal(
  deps: Deps,
  platform: string,
  message: PlatformMessage,
): Promise<Withdrawal & { platform: Platform }> {
  if (!isPlatform(platform)) throw notFound("Platform");
  const { withdrawals } = connectorOf(platform);
  if (!withdrawals) throw notFound("Page");
  for (const signer of [platform, ...(withdrawals.alsoSignedBy ?? [])]) {
    const app = appKeysOf(deps, { mode: "live", platform: signer });
    const read = app && (await withdrawals.read(message, app.clientSecret));
    if (read) return { ...read, platform };
  }
  throw new AppError("FORBIDDEN", "The message is not signed with the secret of this app.");
}

/** A deletion that a platform asked for in a person's name. It says nothing of who that is. */
export interface Deletion {
  platform: Platform;
  at: Date;
  /** Accounts that were deleted with it. */
  accounts: number;
}

/** The path of the page that shows a deletion. */
export const deletionPath = (code: string): string => `/oauth/deleted/${code}`;

const CODE = /^([a-z]+)-(\d{1,12})-(\d{1,6})-([0-9a-f]{64})$/;

const textOf = (said: string): string => `data deletion|${said}`;

/** The code that confirms a deletion: it holds all that is shown of it, signed. */
export async function confirmationOf(
  { config }: Pick<Deps, "config">,
  { platform, at, accounts }: Deletion,
): Promise<string> {
  const said = `${platform}-${Math.floor(at.getTime() / SECOND)}-${accounts}`;
  return `${said}-${await sign(config.signingKey, textOf(said))}`;
}

/** Reverses `confirmationOf`; null for a code that we did not give. */
export async function readConfirmation(
  { config }: Pick<Deps, "config">,
  code: string,
): Promise<Deletion | null> {
  const [, platform = "", seconds = "", accounts = "", signature = ""] = CODE.exec(code) ?? [];
  const said = `${platform}-${seconds}-${accounts}`;
  if (!isPlatform(platform)) return null;
  if (!(await isSigned(config.signingKey, textOf(said), signature))) return null;
  return { platform, at: new Date(Number(seconds) * SECOND), accounts: Number(accounts) };
}
