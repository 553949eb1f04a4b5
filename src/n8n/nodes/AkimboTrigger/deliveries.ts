/** As many as arrive in some minutes on a busy day: an event comes again at most some hours later. */
const REMEMBERED = 500;

/** The event ids to remember after this delivery; null for an event that came before. */
export function rememberEvent(known: readonly string[], eventId: string): string[] | null {
  if (known.includes(eventId)) return null;
  return [...known, eventId].slice(-REMEMBERED);
}
