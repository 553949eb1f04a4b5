/** Source: RFC 5321, 4.5.3.1.3, less the angle brackets. */
export const MAX_EMAIL_CHARACTERS = 254;

/** The rule of zod, by which the sign-in reads addresses too: an address that it refuses could never sign in. */
const EMAIL =
  /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]{0,63}[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/;

/** Domain of the addresses that we make up ourselves. No mail goes there (RFC 2606, 2), and nobody gives one. */
export const OWN_DOMAIN = "akimbo.invalid";

/**
 * Returns the id that a made-up address stands for, `person-7@akimbo.invalid`; null for any other address. A
 * link of the operator names so somebody who shares their address but for its case.
 */
export function personOfAddress(email: string): number | null {
  const id = /^person-([1-9]\d{0,14})@akimbo\.invalid$/.exec(email)?.[1];
  return id === undefined ? null : Number(id);
}

/** Returns an address as it is stored and compared, in lower case; null for what is none. */
export function toEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  const isOwn = email.endsWith(`@${OWN_DOMAIN}`);
  return email.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(email) && !isOwn ? email : null;
}
