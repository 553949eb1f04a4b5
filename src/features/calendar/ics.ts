import { MINUTE } from "../../core/time.ts";

/** One entry of a feed. Instants are epoch ms. */
export interface FeedEvent {
  uid: string;
  at: number;
  summary: string;
  description: string;
  url: string;
}

interface Feed {
  name: string;
  events: readonly FeedEvent[];
  madeAt: number;
}

/** Source: RFC 5545, 3.1. */
const MAX_LINE_OCTETS = 75;
const LINE_END = "\r\n";
const REFRESH = "PT15M";
const LENGTH_MS = 15 * MINUTE;

/** Source: RFC 5545, 3.3.11; control characters are not allowed in text. */
const escapeText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/(?!\n)\p{Cc}/gu, " ")
    .replace(/[\\;,]/g, (sign) => `\\${sign}`)
    .replaceAll("\n", "\\n");

/** Breaks between characters, never within one. */
export function fold(line: string): string {
  const encoder = new TextEncoder();
  let folded = "";
  let octets = 0;
  for (const character of line) {
    const length = encoder.encode(character).length;
    if (octets + length > MAX_LINE_OCTETS) {
      folded += `${LINE_END} `;
      octets = 1;
    }
    folded += character;
    octets += length;
  }
  return folded;
}

const instant = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;

function eventLines(event: FeedEvent, stamp: string): string[] {
  return [
    "BEGIN:VEVENT",
    `UID:${event.uid}`,
    `DTSTAMP:${stamp}`,
    `DTSTART:${instant(event.at)}`,
    `DTEND:${instant(event.at + LENGTH_MS)}`,
    `SUMMARY:${escapeText(event.summary)}`,
    `DESCRIPTION:${escapeText(event.description)}`,
    `URL:${event.url}`,
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
  ];
}

/** Source: RFC 5545. */
export function writeFeed({ name, events, madeAt }: Feed): string {
  const stamp = instant(madeAt);
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Akimbo//Calendar//EN",
    "CALSCALE:GREGORIAN",
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
    ...events.flatMap((event) => eventLines(event, stamp)),
    "END:VCALENDAR",
  ];
  return lines.map((line) => fold(line) + LINE_END).join("");
}
