/** Platforms trim texts and change spaces and accents. */
export const comparable = (text: string | null | undefined): string =>
  (text ?? "").normalize("NFC").replace(/\s+/g, " ").trim();
