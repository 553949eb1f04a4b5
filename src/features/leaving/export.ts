import { invalidFields } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { requireOneOf } from "../auth/rules.ts";
import { SECTIONS } from "./repo/export.ts";
import type { ExportedRow, Key, Section, StoredSection } from "./repo/section.ts";
import type { ExportPage } from "./schema.ts";

/** A hundred of the longest posts stay far below the memory limit. */
const SLICE = 100;
/** A page ends with the line that exceeds this. */
const MAX_CHARACTERS = 4_000_000;

interface Place {
  at: number;
  after: Key | null;
}

/**
 * Lines of JSON; the last is `next` with a cursor, or `end`.
 *
 * @throws AppError FORBIDDEN unless the caller is the owner; 400 for an invalid cursor; UNAVAILABLE for a damaged
 * archive
 */
export async function exportTeam(ctx: Ctx, { after, limit }: ExportPage): Promise<string> {
  await ctx.read("*", []);
  requireOneOf(ctx.actor, ["OWNER"], "Only the owner can export the team's data.");
  let place: Place | null = after === undefined ? { at: 0, after: null } : readCursor(after);
  const lines: string[] = [];
  let characters = 0;
  while (place && lines.length < limit && characters < MAX_CHARACTERS) {
    const section: Section | StoredSection | undefined = SECTIONS[place.at];
    if (!section) break;
    const max = Math.min(SLICE, limit - lines.length);
    const rows: readonly ExportedRow[] = await readRows(
      ctx,
      section,
      place.after ?? section.start,
      max,
    );
    for (const { data } of rows) {
      const line = JSON.stringify({ type: section.type, data });
      lines.push(line);
      characters += line.length;
    }
    const isOver: boolean = "read" in section ? rows.length === 0 : rows.length < max;
    place = isOver ? nextSection(place) : { ...place, after: rows.at(-1)?.key ?? null };
  }
  lines.push(JSON.stringify(place ? { type: "next", after: toCursor(place) } : { type: "end" }));
  return `${lines.join("\n")}\n`;
}

async function readRows(
  ctx: Ctx,
  section: Section | StoredSection,
  after: Key,
  max: number,
): Promise<ExportedRow[]> {
  if ("read" in section) return section.read(ctx, after, max);
  const [rows] = await ctx.db.run([section.rows(ctx.team, after, max, ctx)]);
  return rows;
}

const nextSection = ({ at }: Place): Place | null =>
  at + 1 < SECTIONS.length ? { at: at + 1, after: null } : null;

const toCursor = ({ at, after }: Place): string =>
  new TextEncoder()
    .encode(JSON.stringify([SECTIONS[at]?.type, after]))
    .toBase64({ alphabet: "base64url", omitPadding: true });

/** @throws AppError 400 for an invalid cursor */
function readCursor(text: string): Place {
  const place = parseCursor(text);
  if (place) return place;
  const message = "after: is not a cursor of an export. Take it from the last line of a page.";
  throw invalidFields([{ field: "after", message }]);
}

function parseCursor(text: string): Place | null {
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    const [type, after, ...more] = JSON.parse(new TextDecoder().decode(bytes)) as unknown[];
    const at = SECTIONS.findIndex((section) => section.type === type);
    const start = SECTIONS[at]?.start;
    if (!start || more.length > 0) return null;
    if (after === null) return { at, after };
    const isKey =
      Array.isArray(after) &&
      after.length === start.length &&
      after.every((value, i) => typeof value === typeof start[i]);
    return isKey ? { at, after } : null;
  } catch {
    return null;
  }
}
