import { type FieldError, fieldError } from "../../core/errors.ts";
import { BROKEN_TEXT, isBrokenText, nullIfBlank } from "../../core/text.ts";
import type { Connector, Post, Target } from "../../platforms/connector.ts";
import { flag, lastOf, type RawField, readField } from "../../platforms/kit/form-fields.ts";
import { withOwnMentions } from "../content/as-published.ts";
import { MAX_THREAD } from "../content/bounds.ts";
import { newPart, type Part } from "../posts/parts.ts";
import { type CheckedMedia, isThumbnail } from "./media.ts";
import type { RawSettings } from "./new-post.ts";
import { splitText } from "./split.ts";

const AUTO = "auto";
const LONGEST_MARK = ` ${MAX_THREAD + 1}/${MAX_THREAD + 1}`;

interface Written {
  text: string;
  media: number[];
}

type Texts = Pick<Post, "title" | "description">;

export interface ReadParts {
  texts: Texts;
  parts: Part[];
  media: CheckedMedia[];
  errors: FieldError[];
}

const NOT_A_LIST = `must be a JSON array of 1 to ${MAX_THREAD} texts, or of {"text", "media"} with the numbers of files of the call from 0, such as ["Second post",{"text":"Third post","media":[1]}]; or ${AUTO}.`;

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value);

function readOne(item: unknown): Written | null {
  if (typeof item === "string") return { text: item, media: [] };
  if (typeof item !== "object" || item === null) return null;
  const { text = "", media = [], ...others } = item as Record<string, unknown>;
  if (typeof text !== "string" || !Array.isArray(media) || !media.every(isIndex)) return null;
  return Object.keys(others).length > 0 ? null : { text, media };
}

function readThread(raw: RawField): Written[] | null {
  try {
    const list: unknown = JSON.parse(lastOf(raw));
    if (!Array.isArray(list)) return null;
    const parts = list.map(readOne);
    return parts.every((part) => part !== null) ? parts : null;
  } catch {
    return null;
  }
}

interface Whole {
  raw: RawSettings;
  texts: Texts;
  media: readonly CheckedMedia[];
  settings: Record<string, unknown>;
}

export async function readParts(
  connector: Connector,
  whole: Whole,
  target: Target,
): Promise<ReadParts> {
  const { raw, media } = whole;
  const thread = lastOf(raw.thread) === "" ? null : await threadOf(connector, whole, target);
  const comment = nullIfBlank(withOwnMentions(connector.mentions, lastOf(raw.first_comment)));
  const errors = [...(thread?.errors ?? [])];
  const texts = thread?.texts ?? whole.texts;
  const files = media.filter((item) => !isThumbnail(item));
  const parts = (thread?.parts ?? []).map(({ text, media: indexes }) =>
    newPart({
      kind: "post",
      text,
      media: indexes.flatMap((index) => (files[index] ? [media.indexOf(files[index])] : [])),
    }),
  );
  const used = new Set(parts.flatMap((part) => part.media));
  const own = media.map(
    (item, i): CheckedMedia =>
      used.has(i) && "ref" in item ? { ...item, ref: { ...item.ref, role: "part" } } : item,
  );
  if (comment !== null) {
    errors.push(...(await commentErrors(connector, comment, { ...whole, texts }, target)));
    parts.push(newPart({ kind: "comment", text: comment, media: [] }));
  }
  return { texts, parts, media: own, errors };
}

interface Thread {
  texts?: Texts;
  parts: Written[];
  errors: FieldError[];
}

async function threadOf(connector: Connector, whole: Whole, target: Target): Promise<Thread> {
  const refuse = (message: string): Thread => ({
    parts: [],
    errors: [{ field: "thread", message }],
  });
  if (!connector.followUps?.kinds.includes("post")) {
    return refuse(`${connector.name} has no threads; leave thread out for its accounts.`);
  }
  const marks = readField(flag, whole.raw.thread_marks);
  if (marks.refusals.length > 0) {
    return { parts: [], errors: marks.refusals.map((one) => fieldError("thread_marks", one)) };
  }
  const isAuto = lastOf(whole.raw.thread).toLowerCase() === AUTO;
  const list = isAuto
    ? await autoThread(connector, whole, target, marks.value === true)
    : (readThread(whole.raw.thread)?.map((part) => ({
        ...part,
        text: withOwnMentions(connector.mentions, part.text),
      })) ?? null);
  if (list === null) {
    return refuse(
      isAuto
        ? `The text cannot be split: a word of it is too long for ${connector.name}, or it would have more than ${MAX_THREAD + 1} posts. Shorten it, or send the posts yourself.`
        : `thread: ${NOT_A_LIST}`,
    );
  }
  const [head, following] = isAuto ? [list[0], list.slice(1)] : [undefined, list];
  if (!isAuto && following.length === 0) return refuse(`thread: ${NOT_A_LIST}`);
  if (following.length > MAX_THREAD) {
    return refuse(
      `A thread has at most ${MAX_THREAD} posts after the first; ${following.length} were sent.`,
    );
  }
  const numbered = following.map((part, i) =>
    marks.value && !isAuto ? { ...part, text: marked(part.text, i + 2, list.length + 1) } : part,
  );
  const texts = headTexts(
    connector,
    whole.texts,
    head?.text,
    marks.value && !isAuto ? list.length + 1 : 0,
  );
  const errors = await Promise.all(
    numbered.map((part, i) => partErrors(connector, part, i + 1, whole, target)),
  );
  return { texts, parts: numbered, errors: errors.flat() };
}

const marked = (text: string, position: number, count: number): string =>
  `${text} ${position}/${count}`;

const textField = ({ capabilities }: Connector, texts: Texts): "title" | "description" => {
  const field = capabilities.textField;
  const other = field === "title" ? "description" : "title";
  return nullIfBlank(texts[field]) === null && nullIfBlank(texts[other]) !== null ? other : field;
};

function headTexts(
  connector: Connector,
  texts: Texts,
  text: string | undefined,
  count: number,
): Texts {
  const field = textField(connector, texts);
  const head = text ?? texts[field] ?? "";
  const own = count > 0 ? marked(head, 1, count) : (text ?? texts[field]);
  return texts.title === texts.description
    ? { title: own, description: own }
    : { ...texts, [field]: own };
}

const asPost = (connector: Connector, text: string, { settings }: Whole): Post => ({
  title: null,
  description: text,
  media: [],
  settings: connector.followUps?.settingsOf(settings) ?? settings,
});

async function autoThread(
  connector: Connector,
  whole: Whole,
  target: Target,
  hasMarks: boolean,
): Promise<Written[] | null> {
  const text = whole.texts[textField(connector, whole.texts)] ?? "";
  const fits = async (piece: string): Promise<boolean> => {
    const post = asPost(connector, hasMarks ? piece + LONGEST_MARK : piece, whole);
    return (await connector.check(post, target)).length === 0;
  };
  const pieces = await splitText(text, fits, MAX_THREAD + 1);
  const count = pieces?.length ?? 0;
  return (
    pieces?.map((piece, i) => ({
      text: hasMarks && count > 1 ? marked(piece, i + 1, count) : piece,
      media: [],
    })) ?? null
  );
}

async function partErrors(
  connector: Connector,
  part: Written,
  position: number,
  whole: Whole,
  target: Target,
): Promise<FieldError[]> {
  const refuse = (message: string): FieldError => ({
    field: "thread",
    message: `Part ${position}: ${message}`,
  });
  if (isBrokenText(part.text)) return [refuse(`it ${BROKEN_TEXT}.`)];
  const files = whole.media.filter((item) => !isThumbnail(item));
  const missing = part.media.find((index) => !files[index]);
  if (missing !== undefined) {
    return [refuse(`there is no file ${missing}; the call has ${files.length}, counted from 0.`)];
  }
  if (nullIfBlank(part.text) === null && part.media.length === 0) {
    return [refuse("it is empty; write a text, or name files.")];
  }
  const media = part.media.flatMap((index) => {
    const file = files[index];
    return file && "media" in file ? [file.media] : [];
  });
  const errors = await connector.check({ ...asPost(connector, part.text, whole), media }, target);
  return errors.map(({ message }) => refuse(message));
}

async function commentErrors(
  connector: Connector,
  text: string,
  whole: Whole,
  target: Target,
): Promise<FieldError[]> {
  const field = "first_comment";
  const { followUps, name } = connector;
  if (!followUps?.kinds.includes("comment")) {
    const message = `${name} takes no comments by its API; leave first_comment out for its accounts.`;
    return [{ field, message }];
  }
  const { comment } = followUps;
  const errors = comment
    ? await comment.check(
        text,
        {
          ...whole.texts,
          media: whole.media.flatMap((item) => ("media" in item ? [item.media] : [])),
          settings: whole.settings,
        },
        target,
      )
    : await connector.check(asPost(connector, text, whole), target);
  return errors.map(({ message }) => ({ field, message: `The first comment: ${message}` }));
}
