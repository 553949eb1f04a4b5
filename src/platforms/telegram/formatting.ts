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
const TYPES: Record<string, string> = {
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
};

const TAKEN = Object.keys(TYPES).filter((tag) => tag !== "span");

const SIGNS: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };
const TOKEN = /<(\/?)([a-z][\w-]*)([^<>]*)>|&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));|</gi;
const HREF = /^\s+href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))\s*$/i;
const LANGUAGE = /^\s+class\s*=\s*["']?language-([\w+#.-]{1,40})["']?\s*$/i;
const SPOILER = /^\s+class\s*=\s*["']?tg-spoiler["']?\s*$/i;
const LINKS = /^(?:https?|tg):$/;

type Match = RegExpExecArray;

/** An unknown sign stays as it is written. */
function signOf([whole, , , , decimal, hex, name]: Match): string {
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  if (name !== undefined || Number.isNaN(code)) return SIGNS[name ?? ""] ?? whole;
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : whole;
}

const decoded = (text: string): string =>
  [...text.matchAll(TOKEN)].reduceRight(
    (rest, match) =>
      match[0].startsWith("&")
        ? rest.slice(0, match.index) + signOf(match) + rest.slice(match.index + match[0].length)
        : rest,
    text,
  );

interface Opened {
  tag: string;
  /** Null for a tag that only refines the one around it. */
  entity: Entity | null;
}

function opened(tag: string, attributes: string, offset: number, outer: Opened | undefined) {
  const type = TYPES[tag];
  if (type === undefined)
    return refuse(`Telegram has no tag <${tag}>; it takes ${TAKEN.join(", ")}`);
  const entity: Entity = { type, offset, length: 0 };
  if (tag === "a") {
    const [, ...values] = HREF.exec(attributes) ?? [];
    const url = decoded(values.find((value) => value !== undefined) ?? "");
    if (!LINKS.test(URL.parse(url)?.protocol ?? "")) {
      return refuse('<a> needs an address, as in <a href="https://example.com">');
    }
    return ok<Opened>({ tag, entity: { ...entity, url } });
  }
  const language = tag === "code" ? LANGUAGE.exec(attributes)?.[1] : undefined;
  if (language !== undefined && outer?.tag === "pre" && outer.entity?.offset === offset) {
    outer.entity.language = language;
    return ok<Opened>({ tag, entity: null });
  }
  if (tag === "blockquote" && /^\s+expandable\s*$/i.test(attributes)) {
    return ok<Opened>({ tag, entity: { ...entity, type: "expandable_blockquote" } });
  }
  const isWhole = tag === "span" ? SPOILER.test(attributes) : attributes.trim() === "";
  return isWhole
    ? ok<Opened>({ tag, entity })
    : refuse(`Telegram does not know <${tag}${attributes.slice(0, 40)}>`);
}

/** The error says what is wrong with the markup, without full stop. */
export function readHtml(html: string): Result<Formatted, string> {
  const entities: Entity[] = [];
  const open: Opened[] = [];
  let text = "";
  let from = 0;
  for (const match of html.matchAll(TOKEN)) {
    const [whole, slash, name, attributes = ""] = match;
    text += html.slice(from, match.index);
    from = match.index + whole.length;
    if (whole === "<") return refuse('a "<" begins no tag; write &lt; for the sign');
    if (name === undefined) text += signOf(match);
    else if (slash === "") {
      const one = opened(name.toLowerCase(), attributes, text.length, open.at(-1));
      if (!one.ok) return one;
      open.push(one.value);
    } else {
      const last = open.pop();
      if (last?.tag !== name.toLowerCase()) {
        return refuse(`</${name}> closes ${last ? `<${last.tag}>` : "nothing"}`);
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
  text += html.slice(from);
  return ok({
    text,
    entities: entities.sort((a, b) => a.offset - b.offset || b.length - a.length),
  });
}
