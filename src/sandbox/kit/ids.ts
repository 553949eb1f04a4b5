/** Random decimal digits, the first of which may be 0. */
export const randomDigits = (count: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => byte % 10).join("");
