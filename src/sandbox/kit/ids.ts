/** @param alphabet at most 256 characters */
export const randomText = (alphabet: string, count: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) =>
    alphabet.charAt(byte % alphabet.length),
  ).join("");

export const randomDigits = (count: number): string => randomText("0123456789", count);
