/** Source: RFC 5321, 4.5.3.1.3, without the angle brackets. */
export const MAX_EMAIL_CHARACTERS = 254;

/** Equals the pattern of zod. */
const EMAIL =
  /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]{0,63}[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/;

/** The domain of made-up addresses. It receives no mail (RFC 2606, 2). */
export const OWN_DOMAIN = "akimbo.invalid";

/**
 * Reads an address such as `person-7@akimbo.invalid`. The operator's sign-in link uses it for a person whose address
 * contains capitals.
 */
export function personOfAddress(email: string): number | null {
  const id = /^person-([1-9]\d{0,14})@akimbo\.invalid$/.exec(email)?.[1];
  return id === undefined ? null : Number(id);
}

/** Lowercase; null for an invalid address. */
export function toEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  const isOwn = email.endsWith(`@${OWN_DOMAIN}`);
  return email.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(email) && !isOwn ? email : null;
}
