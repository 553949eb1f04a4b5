import type { Person, PostEvent } from "./repo/notices.ts";

/** Spec is silent on the number of recipients. */
const MAX_MANAGERS = 10;

const RANKS = ["OWNER", "ADMIN"];

/** The person who acted gets no notice. */
export function recipientsOf(
  { authorId, linkSenderId, actorId }: Pick<PostEvent, "authorId" | "linkSenderId" | "actorId">,
  team: readonly Person[],
): Person[] {
  const recipients = [authorId, linkSenderId];
  return team.filter(({ userId }) => recipients.includes(userId) && userId !== actorId);
}

/** Only owners and admins can switch a webhook on or reconnect an account. */
export const managersOf = (team: readonly Person[]): Person[] =>
  team
    .filter(({ role }) => RANKS.includes(role))
    .toSorted((a, b) => RANKS.indexOf(a.role) - RANKS.indexOf(b.role))
    .slice(0, MAX_MANAGERS);
