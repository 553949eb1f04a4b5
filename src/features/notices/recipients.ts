import type { Person, PostEvent } from "./repo/notices.ts";

/** People of one team who get notices about a webhook or a login. Spec is silent. */
const MOST_MANAGERS = 10;

const RANKS = ["OWNER", "ADMIN"];

/**
 * Returns the active members of a team who get a notice of an event: the author of the post and, of a decision,
 * the person who sent the review link; nobody of what they did themselves.
 */
export function recipientsOf(
  { authorId, linkSenderId, actorId }: Pick<PostEvent, "authorId" | "linkSenderId" | "actorId">,
  team: readonly Person[],
): Person[] {
  const told = [authorId, linkSenderId];
  return team.filter(({ userId }) => told.includes(userId) && userId !== actorId);
}

/** Returns the owner and the admins, who can switch a webhook on and connect an account again. */
export const managersOf = (team: readonly Person[]): Person[] =>
  team
    .filter(({ role }) => RANKS.includes(role))
    .toSorted((a, b) => RANKS.indexOf(a.role) - RANKS.indexOf(b.role))
    .slice(0, MOST_MANAGERS);
