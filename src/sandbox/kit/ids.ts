/** Random characters of an alphabet of up to 256. */
export const randomText = (alphabet: string, count: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) =>
    alphabet.charAt(byte % alphabet.length),
  ).join("");

/** Random decimal digits, the first of which may be 0. */
export const randomDigits = (count: number): string => randomText("0123456789", count);
