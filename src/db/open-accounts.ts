import { OWN_DOMAIN } from "../core/email.ts";

// Plain text without a query builder: the command line and the programs of the deploy repository use it too.

/** SQL for a closed account's address. The account's row stays while other rows name it. */
export const CLOSED_EMAIL = `'deleted-' || users.id || '@${OWN_DOMAIN}'`;

export const IS_OPEN = `users.email <> ${CLOSED_EMAIL}`;

/** SQL for the id of the oldest open account; NULL without one, and the next deployment then creates an owner. */
export const OWNER_ID = `(SELECT users.id FROM users WHERE ${IS_OPEN} ORDER BY users.id LIMIT 1)`;
