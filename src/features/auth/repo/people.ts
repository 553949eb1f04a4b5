import { OWN_DOMAIN } from "../../../core/email.ts";

/** The address of a closed account, inside a statement about `users`: its row stays where others name it. */
export const CLOSED_EMAIL = `'deleted-' || users.id || '@${OWN_DOMAIN}'`;

/** Holds for a row of `users` whose account is not closed. */
export const IS_OPEN = `users.email <> ${CLOSED_EMAIL}`;

/**
 * Id of the owner of the instance: the first person, and when they close their account the one who came next.
 * NULL where nobody is left: then the next deployment makes an owner. Text, for the command line asks it too.
 */
export const OWNER_ID = `(SELECT users.id FROM users WHERE ${IS_OPEN} ORDER BY users.id LIMIT 1)`;
