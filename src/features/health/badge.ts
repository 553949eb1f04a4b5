import type { Uptime } from "../../core/uptime.ts";

export type Status = "ok" | "late" | "down";

const COLOURS: Record<Status, string> = { ok: "#18794e", late: "#9e6c00", down: "#c62a2f" };

/** About the width of a character of Verdana at 11 pixels. */
const CHARACTER = 6.6;
const PADDING = 8;

const widthOf = (text: string): number => Math.round(text.length * CHARACTER + 2 * PADDING);

const LABEL = "akimbo";

/** A picture for a README or a status page: what `/health` answers, and the share of minutes with a cron run. */
export function drawBadge(status: Status, uptime: Uptime | null): string {
  const message = uptime ? `${status}, up ${uptime.percent} % in ${inDays(uptime.days)}` : status;
  const [left, right] = [widthOf(LABEL), widthOf(message)];
  const text = (x: number, content: string) =>
    `<text x="${x}" y="14" text-anchor="middle">${content}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${LABEL}: ${message}">`,
    `<title>${LABEL}: ${message}</title>`,
    `<rect width="${left}" height="20" fill="#444"/>`,
    `<rect x="${left}" width="${right}" height="20" fill="${COLOURS[status]}"/>`,
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
    text(left / 2, LABEL),
    text(left + right / 2, message),
    "</g></svg>",
  ].join("");
}

const inDays = (days: number): string => (days === 1 ? "1 day" : `${days} days`);
