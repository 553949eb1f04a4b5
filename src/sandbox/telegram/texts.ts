import * as z from "zod";
import { badRequest, inJson } from "./call.ts";

/** Source: Bot API, sendMessage and sendPhoto. */
export const MAX_TEXT = 4_096;
export const MAX_CAPTION = 1_024;
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
  if (!raw.isWellFormed()) throw badRequest("strings must be encoded in UTF-8");
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
