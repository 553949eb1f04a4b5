import { AppError, notFound } from "../../core/errors.ts";
import { randomHex } from "../../core/ids.ts";
import { inviteMailIdentifier, LINK_LIFETIME_MS, linkValue } from "../../core/sign-in-link.ts";
import { sha256Hex } from "../../core/signature.ts";
import type { Query } from "../../db/client.ts";
import type { Ctx, Deps } from "../../deps.ts";
import { activityLine, activityLineBy, personOf } from "../activity/repo.ts";
import { requireOneOf } from "../auth/rules.ts";
import { emitIfChanged } from "../events/repo.ts";
import { insertLink } from "../mail/repo.ts";
import { canSendMail, MAX_WAITING_LINKS, sendMail } from "../mail/service.ts";
import { endRightsOfFormerMember, withdrawLinksOfDemoted } from "./repo/ended-rights.ts";
import * as invites from "./repo/invites.ts";
import { memberLimits } from "./repo/limits.ts";
import * as members from "./repo/members.ts";
import { insertPerson } from "./repo/people.ts";
import * as rules from "./rules.ts";
import type { MemberChange, NewInvite } from "./schema.ts";

/** Source: spec, "Authentication" 5. */
const MANAGERS = ["OWNER", "ADMIN"] as const;

export async function getTeam(ctx: Ctx) {
  const [[team], [self]] = await ctx.read("team:read", [
    members.teamById({ team: ctx.team }),
    members.memberOf({ team: ctx.team, user: ctx.user }),
  ]);
  if (!team || !self) throw notFound("Team");
  return { team, self };
}

/** @throws AppError FORBIDDEN unless the caller is the owner */
export async function renameTeam(ctx: Ctx, name: string) {
  await ctx.read("team:write", []);
  requireOneOf(ctx.actor, ["OWNER"], "Only the team's owner renames it. Ask them to do it.");
  const { teamId } = ctx.actor;
  await ctx.db.run([
    members.renameTeam({ teamId, name, now: ctx.now() }),
    activityLine(ctx, "team.renamed", teamId),
  ]);
  return getTeam(ctx);
}

export type Member = members.MemberRow;

/** In order of joining, with deactivated members. */
export async function listMembers(ctx: Ctx): Promise<Member[]> {
  const [rows] = await ctx.read("team:read", [members.membersOf({ team: ctx.team })]);
  return rows;
}

/**
 * A deactivated member loses tokens pinned to the team, and links made with the former rights end. Undoing the change
 * restores neither.
 *
 * @throws AppError FORBIDDEN unless the caller is the owner, and for the owner's membership; NOT_FOUND; PLAN_LIMIT
 */
export async function changeMember(ctx: Ctx, userId: number, change: MemberChange) {
  await ctx.read("team:write", []);
  requireOneOf(
    ctx.actor,
    ["OWNER"],
    "Only the team's owner changes roles and who is active. Ask them to do it.",
  );
  const target = { teamId: ctx.actor.teamId, userId };
  const { role = null, isActive = null } = change;
  const limits = memberLimits(ctx.config);
  const ending = { ...target, now: ctx.now() };
  const [[facts], , [changed]] = await ctx.db.run([
    members.memberFacts({ ...target, ...limits }),
    withdrawLinksOfDemoted({ ...ending, role }),
    members.updateMember({ ...target, role, isActive, ...limits }),
    activityLine(ctx, rules.actionOfChange(change), userId),
    ...endRightsOfFormerMember(ending),
  ]);
  if (changed && facts) return { member: changed, kind: rules.kindOfChange(facts, changed) };
  throw (facts && rules.changeRefusal(facts, isActive ?? facts.isActive)) ?? notFound("Member");
}

/**
 * Also ends the member's pinned tokens, invites to their address and links they created.
 *
 * Spec is silent: every member but the owner may leave.
 *
 * @throws AppError FORBIDDEN by role; NOT_FOUND
 */
export async function removeMember(ctx: Ctx, userId: number): Promise<void> {
  await ctx.read("team:write", []);
  const { actor } = ctx;
  const isSelf = userId === actor.userId;
  if (!isSelf) {
    requireOneOf(actor, MANAGERS, "Only owners and admins remove members. Ask one of them.");
  }
  const target = { teamId: actor.teamId, userId };
  const roles = rules.removableRoles(actor, isSelf);
  const now = ctx.now();
  const [[facts], removed] = await ctx.db.run([
    members.memberFacts({ ...target, ...memberLimits(ctx.config) }),
    members.deleteMember({ ...target, roles: JSON.stringify(roles) }),
    activityLine(ctx, isSelf ? "member.left" : "member.removed", userId),
    members.revokeInvitesTo({ ...target, now }),
    ...endRightsOfFormerMember({ ...target, now }),
  ]);
  if (removed > 0) return;
  throw (facts && rules.removalRefusal(facts.role, roles)) ?? notFound("Member");
}

/** @throws AppError FORBIDDEN for a MEMBER */
export async function listInvites(ctx: Ctx): Promise<invites.InviteRow[]> {
  const [rows] = await ctx.read("team:read", [
    invites.openInvitesOf({ team: ctx.team, now: ctx.now() }),
  ]);
  requireOneOf(ctx.actor, MANAGERS, "Only owners and admins see invites. Ask one of them.");
  return rows;
}

export const lookUpTeam = ({ team, now }: Ctx) =>
  [members.membersOf({ team }), invites.openInvitesOf({ team, now: now() })] as const;

const INVITE_TOKEN_BYTES = 32;

export const invitePath = (token: string): string => `/invite/${token}`;

/**
 * Only this answer contains the link's token. Replaces an earlier invite to the address. The link is mailed unless too
 * many were just mailed there.
 *
 * @throws AppError FORBIDDEN for a MEMBER; 400 for a member's address; PLAN_LIMIT for a full team or instance, or too
 * many open invites
 */
export async function createInvite(ctx: Ctx, input: NewInvite, origin: string) {
  await ctx.read("team:write", []);
  requireOneOf(ctx.actor, MANAGERS, "Only owners and admins invite. Ask one of them.");
  const { teamId, userId: invitedBy, tokenId } = ctx.actor;
  const { role } = input;
  const email: string | null = input.email ?? null;
  const token = randomHex(INVITE_TOKEN_BYTES);
  const hash = await sha256Hex(token);
  const now = ctx.now();
  const invite = {
    teamId,
    hash,
    email,
    role,
    invitedBy,
    tokenId,
    now,
    expiresAt: new Date(now.getTime() + rules.INVITE_LIFETIME_MS),
    ...memberLimits(ctx.config),
    maxPeople: ctx.config.maxPeople,
  };
  const data = { inviteId: invites.idOfInvite(hash), email, role };
  const isMailable = email !== null && canSendMail(ctx);
  const [[facts], [row], , , , counted = 0] = await ctx.db.run([
    invites.inviteFacts(invite),
    invites.insertInvite(invite),
    emitIfChanged(ctx, { team: teamId, name: "team.invite", data }),
    activityLine(ctx, "invite.created", data.inviteId),
    invites.revokeReplaced(invite),
    ...(isMailable ? [countMail(email, hash, now)] : []),
  ]);
  if (!row) throw (facts && rules.inviteRefusal(facts)) ?? accessEnded();
  const link = origin + invitePath(token);
  const isMailed = isMailable && counted === 1;
  if (isMailed) ctx.defer(sendMail(ctx, rules.describeInviteMail(email, link)));
  return { row, token, link, isMailed };
}

const accessEnded = () =>
  new AppError("FORBIDDEN", "Your access to this team ended while the call was under way.");

/** Changes no row once the limit of mailed links is reached. */
const countMail = (email: string, hash: string, at: Date): Query<number> =>
  insertLink({
    identifier: inviteMailIdentifier(hash),
    value: linkValue(email),
    at,
    expiresAt: new Date(at.getTime() + LINK_LIFETIME_MS),
    max: MAX_WAITING_LINKS,
    inviteHash: hash,
  });

/** @throws AppError FORBIDDEN for a MEMBER; NOT_FOUND for an ended invite */
export async function revokeInvite(ctx: Ctx, id: number): Promise<void> {
  await ctx.read("team:write", []);
  requireOneOf(ctx.actor, MANAGERS, "Only owners and admins revoke invites. Ask one of them.");
  const { teamId } = ctx.actor;
  const [revoked] = await ctx.db.run([
    invites.revokeInvite({ teamId, id, now: ctx.now() }),
    activityLine(ctx, "invite.revoked", id),
  ]);
  if (revoked === 0) throw notFound("Invite");
}

/** @param email in lower case */
export async function mayJoin(
  { db, config, now }: Pick<Deps, "db" | "config" | "now">,
  email: string,
): Promise<boolean> {
  const { maxPeople } = config;
  const [openInvites] = await db.run([invites.openInviteTo({ email, maxPeople, now: now() })]);
  return openInvites.length > 0;
}

/**
 * Creates no person without an open invite, or when the instance has no room.
 *
 * @param email in lower case, verified
 */
export function createPerson({ config, now }: Pick<Deps, "config" | "now">, email: string) {
  const { invitedPlan: basePlan, maxPeople } = config;
  return insertPerson({ ...rules.ownTeam(email), email, basePlan, maxPeople, at: now() });
}

/** @throws AppError NOT_FOUND for text that is no token */
async function hashOfInvite(token: string): Promise<string> {
  if (!/^[0-9a-f]{64}$/.test(token)) throw notFound("Invite");
  return sha256Hex(token);
}

/** @throws AppError NOT_FOUND */
export async function inviteOfLink({ config }: Pick<Deps, "config">, token: string) {
  const { maxPeople } = config;
  return invites.inviteByHash({ hash: await hashOfInvite(token), maxPeople });
}

/**
 * Lets the entered address sign in. The first person to accept uses up the invite.
 *
 * @param email in lower case
 * @throws AppError NOT_FOUND; 410 for an ended invite; FORBIDDEN when the invite names an address; 409 at a limit of
 * addresses or people
 */
export async function giveAddress(deps: Deps, token: string, email: string): Promise<void> {
  const now = deps.now();
  const { maxPeople } = deps.config;
  const address = { hash: await hashOfInvite(token), email, maxPeople, now };
  const [, [facts]] = await deps.db.run([
    invites.insertAddress(address),
    invites.addressFacts(address),
  ]);
  if (!facts) throw notFound("Invite");
  if (!facts.isGiven) throw rules.addressRefusal(facts, now);
}

/**
 * Uses up the invite once. An active member keeps their role, and the invite stays open.
 *
 * @param person `email` is verified
 * @throws AppError NOT_FOUND; 410 for an ended invite; FORBIDDEN for another's invite and a deactivated member;
 * PLAN_LIMIT for a full team
 */
export async function acceptInvite(
  deps: Deps,
  token: string,
  person: { userId: number; email: string },
): Promise<{ teamId: number; hasJoined: boolean }> {
  const now = deps.now();
  const email = person.email.toLowerCase();
  const hash = await hashOfInvite(token);
  const joining = { hash, userId: person.userId, email, now, ...memberLimits(deps.config) };
  const [[facts], joined] = await deps.db.run([
    invites.joinFacts(joining),
    invites.insertInvited(joining),
    activityLineBy(
      deps,
      invites.teamOfInvite(hash),
      personOf(person),
      "member.joined",
      person.userId,
    ),
    invites.useInvite(joining),
  ]);
  if (!facts) throw notFound("Invite");
  const { teamId } = facts;
  if (joined > 0) return { teamId, hasJoined: true };
  if (facts.isActiveMember) return { teamId, hasJoined: false };
  throw rules.joinRefusal(facts, email, now) ?? notFound("Invite");
}
