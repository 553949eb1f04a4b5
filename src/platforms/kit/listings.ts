/** A text as posts are compared: platforms trim, and are free in how they write spaces and accents. */
export const comparable = (text: string | null | undefined): string =>
  (text ?? "").normalize("NFC").replace(/\s+/g, " ").trim();
