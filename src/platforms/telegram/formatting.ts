import { ok, type Result, refuse } from "../../core/result.ts";
import { MAX_ENTITIES } from "./capabilities.ts";

/** Offsets and lengths are UTF-16 units. */
export interface Entity {
  type: string;
  offset: number;
  length: number;
  url?: string;
  language?: string;
}

export interface Formatted {
  text: string;
  entities: Entity[];
}

/** Source: Bot API, "HTML style". */
const TYPES = new Map(
  Object.entries({
    b: "bold",
    strong: "bold",
    i: "italic",
    em: "italic",
    u: "underline",
    ins: "underline",
    s: "strikethrough",
    strike: "strikethrough",
    del: "strikethrough",
    span: "spoiler",
    "tg-spoiler": "spoiler",
    a: "text_link",
    code: "code",
    pre: "pre",
    blockquote: "blockquote",
  }),
);

const TAKEN = [...TYPES.keys()].filter((tag) => tag !== "span");

const SIGNS: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };
const REFERENCE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi;
const TAG = /<(\/?)([a-z][\w-]*)(?![\w-])([^<>]*)>|</gi;
const MAX_SHOWN = 40;
const HREF = /^\s+href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))\s*$/i;
const LANGUAGE = /^\s+class\s*=\s*["']?language-([\w+#.-]{1,40})["']?\s*$/i;
const SPOILER = /^\s+class\s*=\s*["']?tg-spoiler["']?\s*$/i;
const LINKS = /^(?:https?|tg):$/;

/** An unknown sign stays as it is written. */
function signOf(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return SIGNS[name] ?? whole;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : whole;
}

const decoded = (text: string): string => text.replace(REFERENCE, signOf);

interface Opened {
  tag: string;
  /** Null for a tag that only refines the one around it. */
  entity: Entity | null;
}

function opened(tag: string, attributes: string, offset: number, outer: Opened | undefined) {
  const type = TYPES.get(tag);
  if (type === undefined) {
    return refuse(`Telegram has no tag <${tag.slice(0, MAX_SHOWN)}>; it takes ${TAKEN.join(", ")}`);
  }
  const entity: Entity = { type, offset, length: 0 };
  const language = tag === "code" ? LANGUAGE.exec(attributes)?.[1] : undefined;
  if (language !== undefined && outer?.tag === "pre" && outer.entity?.offset === offset) {
    outer.entity.language = language;
    return ok<Opened>({ tag, entity: null });
  }
  if (outer?.tag === "pre" || outer?.tag === "code") {
    return refuse(`Telegram formats nothing inside <${outer.tag}>`);
  }
  if (tag === "a") {
    const [, ...values] = HREF.exec(attributes) ?? [];
    const url = decoded(values.find((value) => value !== undefined) ?? "");
    if (!LINKS.test(URL.parse(url)?.protocol ?? "")) {
      return refuse('<a> needs an address, as in <a href="https://example.com">');
    }
    return ok<Opened>({ tag, entity: { ...entity, url } });
  }
  if (tag === "blockquote" && /^\s+expandable\s*$/i.test(attributes)) {
    return ok<Opened>({ tag, entity: { ...entity, type: "expandable_blockquote" } });
  }
  const isWhole = tag === "span" ? SPOILER.test(attributes) : attributes.trim() === "";
  return isWhole
    ? ok<Opened>({ tag, entity })
    : refuse(`Telegram does not know <${tag}${attributes.slice(0, MAX_SHOWN)}>`);
}

/** The error says what is wrong with the markup, without full stop. */
export function readHtml(html: string): Result<Formatted, string> {
  const entities: Entity[] = [];
  const open: Opened[] = [];
  let text = "";
  let from = 0;
  for (const match of html.matchAll(TAG)) {
    const [whole, slash, name, attributes = ""] = match;
    text += decoded(html.slice(from, match.index));
    from = match.index + whole.length;
    if (name === undefined) return refuse('a "<" begins no tag; write &lt; for the sign');
    if (slash === "") {
      const one = opened(name.toLowerCase(), attributes, text.length, open.at(-1));
      if (!one.ok) return one;
      open.push(one.value);
    } else {
      const last = open.pop();
      if (last?.tag !== name.toLowerCase()) {
        return refuse(
          `</${name.slice(0, MAX_SHOWN)}> closes ${last ? `<${last.tag}>` : "nothing"}`,
        );
      }
      const length = text.length - (last.entity?.offset ?? text.length);
      if (last.entity && length > 0) entities.push({ ...last.entity, length });
    }
  }
  const [unclosed] = open;
  if (unclosed) return refuse(`<${unclosed.tag}> is not closed`);
  if (entities.length > MAX_ENTITIES) {
    return refuse(
      `Telegram shows ${MAX_ENTITIES} formatted passages; there are ${entities.length}`,
    );
  }
  text += decoded(html.slice(from));
  return ok({
    text,
    entities: entities.sort((a, b) => a.offset - b.offset || b.length - a.length),
  });
}
