import { randomId } from "../core/ids.ts";
import type { CreditPack } from "../core/plans.ts";
import { creditBalance } from "../features/credits/repo/balances.ts";
import { grantPack, refundPack } from "../features/credits/repo/packs.ts";
import {
  COSTS,
  type CreditBalance,
  packReferenceOf,
  resetOf,
  totalOf,
} from "../features/credits/rules.ts";
import { connectors } from "../platforms/registry.ts";
import { execute, type Place, type Row } from "./d1.ts";
import { Problem } from "./program.ts";
import { sql } from "./sql.ts";
import { formatTable } from "./table.ts";
import { executeQueries, findTeam, readOffer, toStatement } from "./team-database.ts";

const toDay = (at: Date): string => at.toISOString().slice(0, "2026-11-20".length);

const dayOf = (ms: Row[string] | undefined): string => toDay(new Date(Number(ms)));

export async function describeCredits(place: Place, teamName: string): Promise<string> {
  const config = await readOffer(place);
  const team = await findTeam(place, teamName);
  const now = new Date();
  const [[balance] = [], packs = []] = await execute(place, [
    toStatement(creditBalance({ config, now: () => now }, team.id)),
    sql`SELECT id, name, credits, granted_at, refunded_at FROM credit_packs
      WHERE team_id = ${team.id} ORDER BY granted_at DESC, id`,
  ]);
  const credits: CreditBalance = {
    monthlyAllowance: Number(balance?.allowance),
    includedRemaining: Number(balance?.included),
    purchased: Number(balance?.purchased),
  };
  return [
    describeBalance(team.slug, credits, now),
    ...(packs.length > 0 ? ["", formatPacks(packs)] : []),
  ].join("\n");
}

const inDollars = (amount: number, digits: number): string => `$${amount.toFixed(digits)}`;

/** The most that X charges the instance's owner for posts with these credits. */
const describeBill = (credits: number): string => {
  const [prices] = connectors().flatMap(({ paidPosts }) => paidPosts?.prices ?? []);
  if (!prices) return "";
  const dearest = Math.max(prices.post / COSTS.post, prices.linkPost / COSTS.linkPost);
  const most = inDollars(credits * dearest, 2);
  return ` X charges you at most about ${most} for the posts: ${inDollars(prices.post, 3)} for one, ${inDollars(prices.linkPost, 3)} with a link; and ${inDollars(prices.readUser, 3)} for each user that is read. Set a spending limit in X's console.`;
};

export const describeBalance = (slug: string, balance: CreditBalance, now: Date): string => {
  const { monthlyAllowance, includedRemaining, purchased } = balance;
  const reset = toDay(resetOf(now));
  return `${slug} has ${totalOf(balance)} X credits: ${includedRemaining} of the month's ${monthlyAllowance} (until ${reset}), ${purchased} purchased.${describeBill(totalOf(balance))}`;
};

const formatPacks = (packs: Row[]): string =>
  formatTable(
    ["Id", "Pack", "Credits", "Granted", "State"],
    packs.map((pack) => [
      String(pack.id),
      String(pack.name),
      String(pack.credits),
      dayOf(pack.granted_at),
      pack.refunded_at === null ? "held" : `refunded ${dayOf(pack.refunded_at)}`,
    ]),
  );

export interface GrantOptions {
  pack?: string;
  amount?: string;
}

const MAX_AMOUNT = 10_000_000;

/**
 * Returns the credits of a pack, or the given amount.
 *
 * @throws Problem unless exactly one of pack and amount is present
 */
export function chooseGrant(
  { pack: packName, amount }: GrantOptions,
  packs: readonly CreditPack[],
): { name: string; credits: number } {
  const names = packs.map(({ name }) => name).join(", ");
  if ((packName === undefined) === (amount === undefined)) {
    throw new Problem(`Give either --pack with one of ${names}, or --amount with a number.`);
  }
  if (amount !== undefined) {
    const credits = /^\d{1,8}$/.test(amount) ? Number(amount) : 0;
    if (credits >= 1 && credits <= MAX_AMOUNT) return { name: "Grant", credits };
    throw new Problem(`--amount must be a whole number from 1 to ${MAX_AMOUNT}, not "${amount}".`);
  }
  const pack = packs.find(({ name }) => name.toLowerCase() === packName?.toLowerCase());
  if (!pack) throw new Problem(`There is no pack ${packName}. Choose one of ${names}.`);
  return { name: pack.name, credits: pack.credits };
}

/** @throws Problem when the team or the pack does not exist */
export async function grantCredits(
  place: Place,
  options: GrantOptions & { team: string },
): Promise<string> {
  const { plans } = await readOffer(place);
  const grant = chooseGrant(options, plans.packs);
  const team = await findTeam(place, options.team);
  const id = randomId("pack");
  await executeQueries(place, grantPack(new Date(), { ...grant, id, teamId: team.id }));
  return `Granted ${grant.credits} X credits to ${team.slug} as ${id}.`;
}

/** @throws Problem when the pack is missing or already refunded */
export async function refundCredits(
  place: Place,
  options: { team: string; id: string },
): Promise<string> {
  const { id } = options;
  const team = await findTeam(place, options.team);
  const results = await execute(place, [
    sql`SELECT name, credits, refunded_at FROM credit_packs
      WHERE id = ${id} AND team_id = ${team.id}`,
    ...refundPack(new Date(), team.id, id).map(toStatement),
    sql`SELECT -purchased AS taken FROM credit_ledger
      WHERE team_id = ${team.id} AND reference = ${packReferenceOf(id)} AND kind = 'pack_refund'`,
  ]);
  const [pack] = results[0] ?? [];
  if (!pack) throw new Problem(`${team.slug} has no pack ${id}; \`credits show\` lists its packs.`);
  if (pack.refunded_at !== null) {
    throw new Problem(`${id} has already been refunded, on ${dayOf(pack.refunded_at)}.`);
  }
  const taken = Number(results.at(-1)?.[0]?.taken);
  return `Took back ${taken} of the ${pack.credits} X credits of ${id} from ${team.slug}.`;
}
