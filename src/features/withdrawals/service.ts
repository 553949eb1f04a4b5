import { AppError, notFound } from "../../core/errors.ts";
import { isPlatform, type Platform } from "../../core/platforms.ts";
import { isSigned, sign } from "../../core/signature.ts";
import { MINUTE, SECOND } from "../../core/time.ts";
import type { Query } from "../../db/client.ts";
import type { Deps } from "../../deps.ts";
import type { PlatformMessage, Withdrawal } from "../../platforms/consent.ts";
import { connectorOf } from "../../platforms/registry.ts";
import type { AccountRow } from "../accounts/table.ts";
import { activityLineBy, SYSTEM } from "../activity/repo.ts";
import { appKeysOf } from "../logins/platform-access.ts";
import {
  accountsOfPerson,
  emitDisconnected,
  eraseAccount,
  eraseRehearsals,
  revokeAccount,
  type Withdrawn,
} from "./repo.ts";

/** The platform's clock may differ this much. Spec is silent. */
const CLOCK_SKEW_MS = 5 * MINUTE;

interface WithdrawnConsent extends Pick<Withdrawn, "platform" | "platformUserId"> {
  /** When the platform reports the withdrawal; null means now. */
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
 * Accounts can be connected again; a repeated call changes nothing.
 *
 * @param platformUserId the person's or the account's id at the platform
 * @returns the number of accounts found
 */
export async function withdrawAccounts(deps: Deps, consent: WithdrawnConsent): Promise<number> {
  const person = toWithdrawn(deps, consent);
  const [accounts] = await deps.db.run([accountsOfPerson(person)]);
  const writes = accounts.flatMap((account) => [
    emitDisconnected(deps, account, person),
    lineOf(deps, account),
    revokeAccount(account, person),
  ]);
  return write(deps, { event: "consent.withdrawn", person, accounts, writes });
}

/**
 * Deletes platform data in every team, also of disconnected accounts. Waiting posts fail; teams keep the record of
 * published ones.
 */
export async function eraseAccounts(deps: Deps, consent: WithdrawnConsent): Promise<number> {
  const person = toWithdrawn(deps, consent);
  const [{ endPlansOf }, [accounts]] = await Promise.all([
    import("../disconnect/service.ts"),
    deps.db.run([accountsOfPerson(person)]),
  ]);
  const writes = accounts.flatMap((account) => [
    emitDisconnected(deps, account, person),
    lineOf(deps, account),
    eraseRehearsals(account, person),
    eraseAccount(account, person, deps.now()),
    ...endPlansOf(deps, account),
  ]);
  return write(deps, { event: "consent.erased", person, accounts, writes });
}

const lineOf = (deps: Deps, { teamId, id }: AccountRow) =>
  activityLineBy(deps, teamId, SYSTEM, "account.withdrawn", id);

interface EndedConsent {
  event: string;
  person: Withdrawn;
  accounts: AccountRow[];
  writes: Query<unknown>[];
}

async function write(
  deps: Deps,
  { event, person, accounts, writes }: EndedConsent,
): Promise<number> {
  if (writes.length > 0) await deps.db.runAll(writes);
  deps.log({ event, platform: person.platform, accounts: accounts.length });
  return accounts.length;
}

/**
 * @throws AppError NOT_FOUND for a platform without such messages, FORBIDDEN for a wrong signature
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

/** A requested deletion, without the person's identity. */
export interface Deletion {
  platform: Platform;
  at: Date;
  accounts: number;
}

export const deletionPath = (code: string): string => `/oauth/deleted/${code}`;

const CODE = /^([a-z]+)-(\d{1,12})-(\d{1,6})-([0-9a-f]{64})$/;

const textOf = (facts: string): string => `data deletion|${facts}`;

/** The code contains everything the confirmation page shows. */
export async function confirmationOf(
  { config }: Pick<Deps, "config">,
  { platform, at, accounts }: Deletion,
): Promise<string> {
  const facts = `${platform}-${Math.floor(at.getTime() / SECOND)}-${accounts}`;
  return `${facts}-${await sign(config.signingKey, textOf(facts))}`;
}

export async function readConfirmation(
  { config }: Pick<Deps, "config">,
  code: string,
): Promise<Deletion | null> {
  const [, platform = "", seconds = "", accounts = "", signature = ""] = CODE.exec(code) ?? [];
  const facts = `${platform}-${seconds}-${accounts}`;
  if (!isPlatform(platform)) return null;
  if (!(await isSigned(config.signingKey, textOf(facts), signature))) return null;
  return { platform, at: new Date(Number(seconds) * SECOND), accounts: Number(accounts) };
}
