const LOCAL = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/;

/** Minutes east of UTC, in the time zone, at the moment. */
function offsetMinutes(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName");
  const [, sign, hours, minutes] = /GMT([+-])(\d{2}):(\d{2})/.exec(parts?.value ?? "") ?? [];
  if (!sign) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/**
 * The date with an offset, which Akimbo asks for: n8n's date field has none, and means the time zone of the workflow.
 * A text that is no local date is left for Akimbo to judge.
 */
export function withOffset(date: string, timeZone: string): string {
  const text = date.trim();
  if (!LOCAL.test(text)) return text;
  const asUtc = Date.parse(`${text.replace(" ", "T")}Z`);
  if (Number.isNaN(asUtc)) return text;
  // The first guess may lie on the other side of a change of clocks.
  const guess = asUtc - offsetMinutes(asUtc, timeZone) * 60_000;
  return new Date(asUtc - offsetMinutes(guess, timeZone) * 60_000).toISOString();
}
