/**
 * Cron expressions of Cloudflare as far as they have lists, ranges and steps: minute, hour, day, month, weekday, in UTC.
 *
 * @see https://developers.cloudflare.com/workers/configuration/cron-triggers/
 */
interface Field {
  min: number;
  max: number;
  names: string[];
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
/** Cloudflare counts weekdays from Sunday, which is 1. */
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const FIELDS: Field[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: MONTHS },
  { min: 1, max: 7, names: WEEKDAYS },
];

const RANGE = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/;

/** Returns null for an expression that is malformed. */
export function parseCron(expression: string): Set<number>[] | null {
  const texts = expression.trim().split(/\s+/);
  if (texts.length !== FIELDS.length) return null;
  const fields = texts.map((text, at) => parseField(text.toUpperCase(), FIELDS[at] as Field));
  return fields.every((field) => field !== null) ? fields : null;
}

function parseField(text: string, field: Field): Set<number> | null {
  const numberOf = (word: string): number => {
    const named = field.names.indexOf(word);
    return named >= 0 ? named + field.min : Number(word);
  };
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const match = RANGE.exec(part);
    if (!match) return null;
    const [, from = "", to, step = "1"] = match;
    const first = from === "*" ? field.min : numberOf(from);
    const isOpen = from === "*" || (to === undefined && match[3] !== undefined);
    const last = to !== undefined ? numberOf(to) : isOpen ? field.max : first;
    const isValid = first >= field.min && last <= field.max && first <= last && Number(step) > 0;
    if (!isValid) return null;
    for (let value = first; value <= last; value += Number(step)) values.add(value);
  }
  return values;
}

export function matchesCron(expression: string, at: Date): boolean {
  const fields = parseCron(expression);
  const parts = [
    at.getUTCMinutes(),
    at.getUTCHours(),
    at.getUTCDate(),
    at.getUTCMonth() + 1,
    at.getUTCDay() + 1,
  ];
  return fields?.every((field, i) => field.has(parts[i] ?? -1)) ?? false;
}
