import * as z from "zod";
import { countUtf8Bytes } from "../../core/text.ts";
import { badRequest, inJson } from "./call.ts";

/** Source: Bot API, sendMessage and sendPhoto. */
export const MAX_TEXT = 4_096;
export const MAX_CAPTION = 1_024;
/** Source: Bot API server, Client.cpp: bytes of the parameter. */
const MAX_RAW_BYTES = 32_768;
const MAX_OFFSET = 1_000_000;
/** Source: python-telegram-bot, constants.py: the others are ignored. */
const MAX_ENTITIES = 100;

const entity = z.looseObject({ type: z.string(), offset: z.int(), length: z.int() });

export const entities = inJson(z.array(entity).optional());

type Entity = z.output<typeof entity>;

export interface Formatted {
  text: string;
  entities: Entity[];
}

/** As bots are checked: by code points, without the blanks around. */
export function formatted(raw: string, list: readonly Entity[] = [], max: number): Formatted {
  if (countUtf8Bytes(raw) > MAX_RAW_BYTES) throw badRequest("text is too long");
  if (!raw.isWellFormed()) throw badRequest("strings must be encoded in UTF-8");
  if (list.some(({ offset }) => offset < 0 || offset > MAX_OFFSET)) {
    throw badRequest("receive an entity with incorrect offset");
  }
  const shift = raw.length - raw.trimStart().length;
  const text = raw.trim();
  if ([...text].length > max) {
    throw badRequest(max === MAX_CAPTION ? "message caption is too long" : "message is too long");
  }
  const inside = list
    .map((one) => ({ ...one, offset: one.offset - shift }))
    .filter(({ offset, length }) => offset >= 0 && length > 0 && offset < text.length);
  return { text, entities: inside.slice(0, MAX_ENTITIES) };
}

export function message(raw: string | undefined, list: readonly Entity[] | undefined): Formatted {
  if (!raw) throw badRequest("message text is empty");
  const whole = formatted(raw, list, MAX_TEXT);
  if (whole.text === "") throw badRequest("text must be non-empty");
  return whole;
}
