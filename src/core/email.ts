/** Source: RFC 5321, 4.5.3.1.3, less the angle brackets. */
export const MAX_EMAIL_CHARACTERS = 254;

/** Printable ASCII around one @, and a dot in the domain. */
const EMAIL = /^[!-?A-~]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\.[a-z0-9-]{2,63}$/i;

/** Returns an address as it is stored and compared, in lower case; null for what is none. */
export function toEmail(text: string): string | null {
  const email = text.trim().toLowerCase();
  const isOne = email.length <= MAX_EMAIL_CHARACTERS && EMAIL.test(email) && !email.includes("..");
  return isOne && !/[\s<>,;:"()[\]\\]/.test(email) ? email : null;
}
