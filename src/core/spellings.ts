/** SQLite ignores case in ASCII only: other scripts match as typed, in lower case, in upper case and capitalized. */
export function spellingsOf(search: string): string[] {
  const small = search.toLowerCase();
  const capital = search.toUpperCase();
  const words = small.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  const first = small.replace(/\p{L}/u, (letter) => letter.toUpperCase());
  const ofAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  return [...new Set([search, small, capital, words, first].map(ofAscii))];
}
