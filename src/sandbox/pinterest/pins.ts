import * as z from "zod";
import { now } from "../../core/clock.ts";
import { reactionsTo } from "../kit/audience.ts";
import { type Call, deliver, idOf, type PostByHand } from "../kit/simulator.ts";
import { type SteeredRefusals, steer } from "../kit/steered.ts";
import { integer, json, key, type RowOf, Table, text } from "../kit/table.ts";
import { accountIdOf, handleOf } from "./accounts.ts";
import { requireBoard } from "./boards.ts";
import { authenticate, invalid, pageOf, readInput, refusal, unauthenticated } from "./call.ts";
import { newId } from "./media.ts";
import {
  mediaSource,
  mediaTypeOf,
  takeSource,
  unacceptable,
  unreachable,
  withoutData,
} from "./sources.ts";

interface PinObject {
  title: string | null;
  description: string | null;
  [field: string]: unknown;
}

export const pins = new Table(
  "pinterest_pins",
  {
    pin_id: key(),
    owner: text(),
    team_id: integer(),
    board_id: text(),
    object: json<PinObject>(),
    created_at: integer(),
  },
  {
    indexes: {
      by_board: "board_id, team_id, created_at",
      by_owner: "owner, team_id, created_at",
    },
  },
);

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

/** Longer than any retry delay, so that the refusal is final. */
const LONG_WAIT = { "retry-after": "3600", "x-ratelimit-remaining": "0" };

const REFUSALS: SteeredRefusals = {
  expiredToken: unauthenticated,
  serverError: () => refusal(500, 500, "Something went wrong on our end. Sorry about that."),
  failures: {
    rate_limited: () =>
      refusal(429, 8, "You have exceeded your rate limit. Try again later.", LONG_WAIT),
    account_disconnected: () => refusal(403, 29, "You are not permitted to access that resource."),
    content_flagged: () =>
      refusal(400, 400, "Sorry! We blocked this link because it may lead to spam."),
    media_invalid: () => unacceptable("The image or video is not acceptable."),
    media_unreachable: unreachable,
    unknown: () => invalid("'sandbox' does not match '^\\d+$'"),
  },
};

/** A pin with this text is refused as if the app had only trial access. */
const TRIAL_WORD = "[sandbox:trial_access]";

/** Source: gitroomhq/postiz-app, issue 1084. */
const trialRefusal = () =>
  refusal(
    403,
    29,
    "Apps with Trial access may not create Pins in production https://api.pinterest.com - use API Sandbox https://api-sandbox.pinterest.com instead.",
  );

const toCreatedAt = (at: Date): string => at.toISOString().slice(0, 19);

export async function createPin(call: Call): Promise<Response> {
  const { name, token } = authenticate(call);
  const pin = await readInput(call, newPin);
  const board = await requireBoard(name, pin.board_id);
  if (textOf(pin).includes(TRIAL_WORD)) throw trialRefusal();
  const owner = await accountIdOf(name);
  const text = textOf(pin);
  const reply = steer(call.env, REFUSALS, { key: `pinterest/${owner}`, text, token });
  const files = await takeSource(call, name, pin.media_source);
  const pinId = newId();
  const at = now();
  const object = {
    id: pinId,
    created_at: toCreatedAt(at),
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
  pins.insert(call.env.store, {
    pin_id: pinId,
    owner,
    team_id: call.env.origin.teamId,
    board_id: board.id,
    object,
    created_at: at.getTime(),
  });
  call.env.store.savePost(call.env.origin, {
    platform: "pinterest",
    key: pinId,
    author: handleOf(name),
    text,
    fields: { ...pin, media_source: withoutData(pin.media_source), board: board.name },
    media: files.map((id) => ({ id, alt: pin.alt_text ?? "" })),
    url: `https://www.pinterest.com/pin/${pinId}/`,
  });
  return deliver(reply, Response.json(object, { status: 201 }));
}

export const postByHand: PostByHand = ({ store }, like, text) => {
  const row = pins.find(store, { pin_id: like.key });
  if (!row) return null;
  const pin_id = newId();
  const at = now();
  const [title = "", ...description] = text.split("\n");
  const words = { title, description: description.join("\n") || null };
  const object = { ...row.object, ...words, id: pin_id, created_at: toCreatedAt(at) };
  pins.insert(store, { ...row, pin_id, object, created_at: at.getTime() });
  return { key: pin_id, url: `https://www.pinterest.com/pin/${pin_id}/` };
};

async function findPin(call: Call, name: string): Promise<RowOf<typeof pins>> {
  const { store, origin } = call.env;
  const own = { pin_id: idOf(call), owner: await accountIdOf(name), team_id: origin.teamId };
  const pin = pins.find(store, own);
  if (!pin) throw refusal(404, 50, "Pin not found.");
  return pin;
}

export async function readPin(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  const { object } = await findPin(call, name);
  return Response.json(object);
}

/** Source: Pinterest, "Update Pin". */
const changedPin = z.strictObject({
  title: newPin.shape.title.nullable(),
  description: newPin.shape.description.nullable(),
  link: newPin.shape.link.nullable(),
  alt_text: newPin.shape.alt_text.nullable(),
});

export async function updatePin(call: Call): Promise<Response> {
  const { name, token } = authenticate(call);
  const changed = await readInput(call, changedPin);
  const { pin_id, object: before } = await findPin(call, name);
  const object = { ...before, ...changed };
  const shown = [object.title, object.description].filter(Boolean).join("\n");
  const reply = steer(call.env, REFUSALS, { key: `pinterest/${pin_id}`, text: shown, token });
  const { store } = call.env;
  pins.update(store, { pin_id }, { object });
  store.changeFields("pinterest", pin_id, changed, shown);
  return deliver(reply, Response.json(object));
}

export async function deletePin(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  const { pin_id } = await findPin(call, name);
  pins.delete(call.env.store, { pin_id });
  call.env.store.deletePost("pinterest", pin_id);
  return new Response(null, { status: 204 });
}

export async function listBoardPins(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  const board = await requireBoard(name, idOf(call));
  const { store, origin } = call.env;
  const own = { board_id: board.id, team_id: origin.teamId };
  const rows = pins.list(store, own, "ORDER BY created_at DESC, rowid DESC LIMIT 5000");
  const items = rows.map(({ object }) => object);
  return pageOf(call, ["creative_types", "pin_metrics"], items);
}

const FILTERS = ["exclude_native", "exclude_repins", "has_been_promoted"];

/** Pinterest has lowercase names, and `save`, unlike its specification's example. */
function metricsOf({ owner, object, created_at }: RowOf<typeof pins>) {
  const audience = `pinterest ${owner} ${[object.title, object.description].join(" ")}`;
  const { views, likes, comments, shares } = reactionsTo(audience, created_at);
  const seen = { impression: views, pin_click: 0, clickthrough: 0, save: shares };
  return { "90d": seen, lifetime_metrics: { ...seen, reaction: likes, comment: comments } };
}

export async function listPins(call: Call): Promise<Response> {
  const { name } = authenticate(call);
  const { pin_filter: filter, pin_metrics: wantsMetrics = "false" } = call.req.query();
  if (filter !== undefined && !FILTERS.includes(filter)) {
    throw invalid(`'${filter}' is not one of ${FILTERS.join(", ")}`);
  }
  if (!["true", "false"].includes(wantsMetrics)) throw invalid("'pin_metrics' is no boolean");
  const own = { owner: await accountIdOf(name), team_id: call.env.origin.teamId };
  const rows = pins.list(call.env.store, own, "ORDER BY created_at DESC, rowid DESC LIMIT 5000");
  const items = rows.map((row) => ({
    ...row.object,
    pin_metrics: wantsMetrics === "true" ? metricsOf(row) : null,
  }));
  return pageOf(call, ["pin_filter", "pin_metrics"], items);
}
