import { AppError, invalidFields } from "../../core/errors.ts";
import { DAY } from "../../core/time.ts";
import type { Actor, Role } from "../../deps.ts";

/** Spec is silent. */
export const INVITE_LIFETIME_MS = 7 * DAY;

/** Spec is silent. */
export const MAX_OPEN_INVITES = 100;

/** Addresses that people may enter for one invite that names none. Spec is silent. */
export const MAX_GIVEN_ADDRESSES = 10;

export function ownTeam(email: string): { name: string; slug: string } {
  const [name = ""] = email.split("@");
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return { name, slug: slug || "team" };
}

/** Source: spec, "Authentication" 5. */
export function removableRoles(actor: Pick<Actor, "role">, isSelf: boolean): Role[] {
  if (actor.role === "OWNER" || isSelf) return ["ADMIN", "MEMBER"];
  return actor.role === "ADMIN" ? ["MEMBER"] : [];
}

const planLimit = (instead: string) =>
  new AppError(
    "PLAN_LIMIT",
    `The team has as many active members as its owner's plan allows. ${instead}`,
  );

const emailRefused = (message: string) => invalidFields([{ field: "email", message }]);

export const NO_PLACE =
  "This instance has as many people with an account as its owner allows. Ask its owner to raise MAX_PEOPLE.";

export interface InviteFacts {
  isFull: boolean;
  /** The address has an account, or the instance has room for one. */
  canHaveAccount: boolean;
  /** To other addresses, as a new invite replaces an older one. */
  openInvites: number;
  isActiveMember: boolean | null;
}

export function inviteRefusal({
  isFull,
  canHaveAccount,
  openInvites,
  isActiveMember,
}: InviteFacts) {
  if (isActiveMember) {
    return emailRefused("This address belongs to a member of the team already.");
  }
  if (isActiveMember === false) {
    return emailRefused(
      "This address belongs to a deactivated member. Ask the team's owner to activate them again.",
    );
  }
  if (isFull) return planLimit("Remove a member or change the plan, then invite again.");
  if (!canHaveAccount) {
    return new AppError("PLAN_LIMIT", `${NO_PLACE} People who have one already can be invited.`);
  }
  if (openInvites < MAX_OPEN_INVITES) return null;
  return new AppError(
    "PLAN_LIMIT",
    `The team has ${MAX_OPEN_INVITES} open invites, which is the most. Revoke some, then invite again.`,
  );
}

export interface MemberFacts {
  role: Role;
  isActive: boolean;
  isFull: boolean;
}

export function changeRefusal({ role, isActive, isFull }: MemberFacts, isActiveNext: boolean) {
  if (role === "OWNER") return ownerStays();
  if (!isActive && isActiveNext && isFull) {
    return planLimit("Deactivate another member or change the plan, then try again.");
  }
  return null;
}

export const CHANGE_MESSAGES = {
  activated:
    "The member is active again. Their tokens that were pinned to the team stay revoked, and the links that they made stay ended: they have to make new ones.",
  deactivated:
    "The member is deactivated. Their tokens that were pinned to the team are revoked, and the invites and links that they made have ended.",
  demoted:
    "The admin is a member now. The invites, review links and connection pages that they made have ended.",
  changed: "The member is changed.",
};

type Membership = Pick<MemberFacts, "role" | "isActive">;

export function kindOfChange(before: Membership, after: Membership): keyof typeof CHANGE_MESSAGES {
  if (before.isActive !== after.isActive) return after.isActive ? "activated" : "deactivated";
  return before.role === "ADMIN" && after.role === "MEMBER" ? "demoted" : "changed";
}

export const actionOfChange = ({
  role,
  isActive,
}: {
  role?: unknown;
  isActive?: boolean | undefined;
}) =>
  isActive === undefined || role !== undefined
    ? "member.role_changed"
    : isActive
      ? "member.activated"
      : "member.deactivated";

export function removalRefusal(role: Role, removable: readonly Role[]) {
  if (role === "OWNER") return ownerStays();
  if (removable.includes(role)) return null;
  return new AppError("FORBIDDEN", "Only the team's owner removes an admin. Ask them to do it.");
}

const ownerStays = () =>
  new AppError(
    "FORBIDDEN",
    "A team always has its owner: the owner cannot leave, be demoted, deactivated or removed.",
  );

export const describeInviteMail = (to: string, link: string) => ({
  to,
  subject: "You are invited to a team on Akimbo",
  text: `You are invited to join a team on Akimbo. Open this link to see which, and to join:

${link}

It works once, for 7 days. If you did not expect it, ignore this mail.
`,
});

export interface InviteState {
  isAddressed: boolean;
  email: string | null;
  expiresAt: Date;
  acceptedAt: Date | null;
  revokedAt: Date | null;
}

const gone = (message: string) => new AppError(null, message, { status: 410 });

/** Null while the invite can be accepted. */
export function endOfInvite({ acceptedAt, expiresAt, revokedAt }: InviteState, now: Date) {
  if (acceptedAt) {
    return gone("This invite has been used. If that was you, sign in; else ask for a new one.");
  }
  if (expiresAt <= now) return gone("This invite has expired. Ask for a new one.");
  if (revokedAt) return gone("This invite was revoked. Ask the person who sent it for a new one.");
  return null;
}

export function addressRefusal(invite: InviteState & { hasPlace: boolean }, now: Date): AppError {
  const end = endOfInvite(invite, now);
  if (end) return end;
  if (invite.isAddressed) {
    return new AppError("FORBIDDEN", `This invite is for ${invite.email}. Sign in with it.`);
  }
  if (!invite.hasPlace) return new AppError(null, NO_PLACE, { status: 409 });
  return new AppError(
    null,
    `${MAX_GIVEN_ADDRESSES} addresses were given for this invite, which is the most. Sign in with one of them, or ask for a new invite.`,
    { status: 409 },
  );
}

export interface JoinFacts extends InviteState {
  isFull: boolean;
  isActiveMember: boolean | null;
}

export function joinRefusal(invite: JoinFacts, email: string, now: Date) {
  const end = endOfInvite(invite, now);
  if (end) return end;
  if (invite.isAddressed && invite.email !== email) {
    return new AppError(
      "FORBIDDEN",
      `This invite is for ${invite.email}, and you are signed in as ${email}. Sign in with the invited address, or ask for an invite to yours.`,
    );
  }
  if (invite.isActiveMember === false) {
    return new AppError(
      "FORBIDDEN",
      "You are a deactivated member of this team. Ask its owner to activate you again.",
    );
  }
  if (!invite.isFull) return null;
  return planLimit("Ask its owner to make room, then open the link again.");
}
