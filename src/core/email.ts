/** Source: RFC 5321, 4.5.3.1.3, less the angle brackets. */
export const MAX_EMAIL_CHARACTERS = 254;

/** The rule of zod, by which the sign-in reads addresses too: an address that it refuses could never sign in. */
const EMAIL =
  /^(?!\.)(?!.*\.\.)[a-z0-9_'+\-.]{0,63}[a-z0-9_+-]@(?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,}$/;

/** Returns an address as it is stored and compared, in lower case; null for what is none. */
export function toEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  return email.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(email) ? email : null;
}
