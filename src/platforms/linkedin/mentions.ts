import type { FieldError } from "../../core/errors.ts";
import { hasMention, type Mention, splitAtMentions } from "../../core/mentions.ts";
import { capped } from "../kit/replies.ts";

const MENTIONABLE = /^urn:li:(?:organization:\d{1,20}|person:[\w-]{1,100})$/;

export const isMentionable = ({ urn }: Mention): boolean => MENTIONABLE.test(urn);

function describeWrong({ name, urn }: Mention): string | null {
  if (name.trim() === "") {
    return `The mention of ${capped(urn)} has no name. Write the name of the page or person between the brackets.`;
  }
  if (MENTIONABLE.test(urn)) return null;
  return `LinkedIn mentions no ${capped(urn)}. Write urn:li:organization: with a number, or urn:li:person: with an id, or the name alone.`;
}

export function checkMentions(field: string, text: string): FieldError[] {
  const parts = splitAtMentions(text);
  const wrong = parts.flatMap((part) =>
    typeof part === "string" ? [] : (describeWrong(part) ?? []),
  );
  const isNested = hasMention(
    parts.map((part) => (typeof part === "string" ? part : part.name)).join(""),
  );
  const nested = "A mention stands inside the name of another. Write one after the other.";
  const [message] = isNested ? [nested] : wrong;
  return message === undefined ? [] : [{ field, message }];
}

interface Attribute {
  /** UTF-16 units, as is `length`. */
  start: number;
  length: number;
  value: { organization: { organization: string } } | { person: { person: string } };
}

export interface CommentMessage {
  text: string;
  attributes?: Attribute[];
}

const toValue = (urn: string): Attribute["value"] =>
  urn.startsWith("urn:li:person:")
    ? { person: { person: urn } }
    : { organization: { organization: urn } };

/** Source: LinkedIn, "Comments API". */
export function toCommentMessage(written: string): CommentMessage {
  let text = "";
  const attributes: Attribute[] = [];
  for (const part of splitAtMentions(written)) {
    if (typeof part !== "string" && isMentionable(part)) {
      const { name, urn } = part;
      attributes.push({ start: text.length, length: name.length, value: toValue(urn) });
    }
    text += typeof part === "string" ? part : part.name;
  }
  return attributes.length > 0 ? { text, attributes } : { text };
}
