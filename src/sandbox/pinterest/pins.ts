import * as z from "zod";
import { now } from "../../core/clock.ts";
import { deliver, forcedFailure } from "../kit/simulator.ts";
import type { Verdict } from "../kit/steering.ts";
import { accountIdOf, handleOf } from "./accounts.ts";
import { requireBoard } from "./boards.ts";
import {
  authenticate,
  invalid,
  type PinterestCall,
  PinterestError,
  pageOf,
  readInput,
  unauthenticated,
} from "./call.ts";
import { newId } from "./media.ts";
import {
  mediaSource,
  mediaTypeOf,
  takeSource,
  unacceptable,
  unreachable,
  withoutData,
} from "./sources.ts";

export const PINS_SCHEMA = `
CREATE TABLE IF NOT EXISTS pinterest_pins (
  pin_id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  team_id INTEGER NOT NULL,
  board_id TEXT NOT NULL,
  object TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS pinterest_pins_by_board ON pinterest_pins (board_id, team_id, created_at);
`;

const DIGITS = z.string().regex(/^\d+$/, "does not match '^\\d+$'");

/** Source: Pinterest, "Pins create". */
const newPin = z.strictObject({
  board_id: DIGITS,
  board_section_id: DIGITS.optional(),
  title: z.string().max(100, "the title is too long, constraint: maxLength=100").optional(),
  description: z.string().max(800, "constraint: maxLength=800").optional(),
  link: z
    .url({ protocol: /^https?$/ })
    .max(2_048, "constraint: maxLength=2048")
    .optional(),
  alt_text: z.string().max(500, "constraint: maxLength=500").optional(),
  dominant_color: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/)
    .optional(),
  note: z.string().optional(),
  media_source: mediaSource,
});

type NewPin = z.output<typeof newPin>;

const textOf = ({ title, description }: NewPin): string =>
  [title, description].filter(Boolean).join("\n");

/** A wait that no back-off is worth: the refusal is final at once. */
const LONG_WAIT = { "retry-after": "3600", "x-ratelimit-remaining": "0" };

/** What steering makes of a pin that is not accepted. */
function refuseAsSteered(verdict: Exclude<Verdict, { kind: "accepted" }>): Response {
  const refuse = (error: PinterestError) => error.toResponse();
  switch (verdict.kind) {
    case "token_refused":
      return refuse(unauthenticated());
    case "server_error":
      return refuse(
        new PinterestError(500, 500, "Something went wrong on our end. Sorry about that."),
      );
    case "failure":
      break;
  }
  switch (verdict.code) {
    case "rate_limited": {
      const message = "You have exceeded your rate limit. Try again later.";
      return refuse(new PinterestError(429, 8, message, LONG_WAIT));
    }
    case "account_disconnected":
      return refuse(new PinterestError(403, 29, "You are not permitted to access that resource."));
    case "content_flagged":
      return refuse(
        new PinterestError(400, 400, "Sorry! We blocked this link because it may lead to spam."),
      );
    case "media_invalid":
      return refuse(unacceptable("The image or video is not acceptable."));
    case "media_unreachable":
      return refuse(unreachable());
    case "unknown":
      return refuse(invalid("'sandbox' does not match '^\\d+$'"));
    default: {
      const message = `The sandbox was asked for this failure: ${verdict.code}.`;
      return forcedFailure({ code: verdict.code, message });
    }
  }
}

/** Stands in the text of a pin whose app is still in trial. */
const TRIAL_WORD = "[sandbox:trial_access]";

/** What an app in trial is told. Source: gitroomhq/postiz-app, issue 1084, as Pinterest answered it. */
const trialRefusal = () =>
  new PinterestError(
    403,
    29,
    "Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.",
  );

/** Makes a pin. Every call makes another one, whatever was made before. */
export async function createPin(call: PinterestCall): Promise<Response> {
  const { name, token } = authenticate(call);
  const pin = await readInput(call, newPin);
  const board = await requireBoard(name, pin.board_id);
  if (textOf(pin).includes(TRIAL_WORD)) throw trialRefusal();
  const owner = await accountIdOf(name);
  const verdict = call.store.steer(call.origin, `pinterest/${owner}`, textOf(pin), token);
  if (verdict.kind !== "accepted") return refuseAsSteered(verdict);
  const files = await takeSource(call, name, pin.media_source);
  const pinId = newId();
  const at = now();
  const object = {
    id: pinId,
    // Without milliseconds and without an offset.
    created_at: at.toISOString().slice(0, 19),
    title: pin.title?.trim() || null,
    description: pin.description?.trim() || null,
    link: pin.link ?? null,
    alt_text: pin.alt_text ?? null,
    note: pin.note ?? "",
    dominant_color: pin.dominant_color ?? "#6e7874",
    board_id: board.id,
    board_section_id: pin.board_section_id ?? null,
    board_owner: { username: handleOf(name) },
    is_owner: true,
    is_standard: true,
    parent_pin_id: null,
    has_been_promoted: false,
    creative_type: "REGULAR",
    media: { media_type: mediaTypeOf(pin.media_source) },
    pin_metrics: null,
  };
  call.store.sql.exec(
    `INSERT INTO pinterest_pins (pin_id, owner, team_id, board_id, object, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    pinId,
    owner,
    call.origin.teamId,
    board.id,
    JSON.stringify(object),
    at.getTime(),
  );
  call.store.savePost(call.origin, {
    platform: "pinterest",
    key: pinId,
    version: pinId,
    author: handleOf(name),
    text: textOf(pin),
    fields: { ...pin, media_source: withoutData(pin.media_source), board: board.name },
    media: files.map((id) => ({ id, alt: pin.alt_text ?? "" })),
    url: `https://www.pinterest.com/pin/${pinId}/`,
  });
  return deliver(verdict.reply, Response.json(object, { status: 201 }));
}

/** The pins of a board, newest first. */
export async function listBoardPins(call: PinterestCall, boardId: string): Promise<Response> {
  const { name } = authenticate(call);
  const board = await requireBoard(name, boardId);
  const rows = call.store.sql
    .exec<{ object: string }>(
      `SELECT object FROM pinterest_pins WHERE board_id = ? AND team_id = ?
       ORDER BY created_at DESC, rowid DESC LIMIT 5000`,
      board.id,
      call.origin.teamId,
    )
    .toArray();
  const items = rows.map(({ object }) => JSON.parse(object));
  return pageOf(call, ["creative_types", "pin_metrics"], items);
}
