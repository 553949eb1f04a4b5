import { AppError } from "../../core/errors.ts";
import { sign } from "../../core/signature.ts";
import type { Ctx } from "../../deps.ts";
import { activityLineBy, SYSTEM } from "../activity/repo.ts";
import { hasText, type OwnershipRecord } from "./dns.ts";
import { leaveEdge } from "./edge.ts";
import * as repo from "./repo.ts";

/** 128 bits in hexadecimal. */
const DIGITS = 32;

export const OWN_PREFIX = "_akimbo.";

/** Derived from team and host, so that unproven claims need not be stored. */
export async function ownRecord(
  { config }: Pick<Ctx, "config">,
  { teamId, host }: Pick<repo.DomainRow, "teamId" | "host">,
): Promise<OwnershipRecord> {
  const digits = await sign(config.signingKey, `domain\n${teamId}\n${host}`);
  return { txtName: `${OWN_PREFIX}${host}`, txtValue: `akimbo-${digits.slice(0, DIGITS)}` };
}

export async function refusalOfHost(ctx: Ctx, holder: repo.Holder): Promise<AppError> {
  const { host, teamId, verifiedAt } = holder;
  if (teamId === ctx.actor.teamId) {
    return new AppError("DOMAIN_TAKEN", `${host} has been added already. GET /domains lists it.`);
  }
  if (verifiedAt) return new AppError("DOMAIN_TAKEN", `${host} belongs to another team.`);
  const { txtName, txtValue } = await ownRecord(ctx, { teamId: ctx.actor.teamId, host });
  return new AppError(
    "DOMAIN_TAKEN",
    `Another team has added ${host}, but not proved that it is theirs. If it is yours, add a TXT record ${txtName} with the value ${txtValue}, then send the call again.`,
  );
}

/**
 * Ends another team's unproven claim if this team proves its own.
 *
 * Spec is silent: an unproven claim does not keep the owner out.
 *
 * @throws AppError DOMAIN_TAKEN; UNAVAILABLE when DNS or Cloudflare does not answer
 */
export async function endForeignClaim(ctx: Ctx, holder: repo.Holder): Promise<void> {
  const { id, host, teamId, verifiedAt } = holder;
  const own = { teamId: ctx.actor.teamId, host };
  const isClaim = teamId !== own.teamId && !verifiedAt;
  if (!isClaim || !(await hasText(ctx, await ownRecord(ctx, own)))) {
    throw await refusalOfHost(ctx, holder);
  }
  const [ended] = await ctx.db.run([
    repo.endClaim(id, ctx.now()),
    activityLineBy(ctx, teamId, SYSTEM, "domain.removed", id),
  ]);
  if (ended === 0) throw await refusalOfHost(ctx, { ...holder, verifiedAt: ctx.now() });
  ctx.log({ event: "domain.given_way", domainId: id, teamId });
  await leaveEdge(ctx, holder);
}
