import * as z from "zod";
import { readBody } from "../kit/input.ts";
import type { Call } from "../kit/simulator.ts";
import { readStreamedForm, type SentForm } from "../kit/streamed-form.ts";
import { invalidForm, refusal, tooLarge, tooLong } from "./call.ts";

/** Source: Discord, "Message Resource", Create Message. */
const MAX_REQUEST_BYTES = 25 * 1_024 ** 2;
/** Source: Discord, "Reference", uploading files. */
const MAX_FILE_BYTES = 10 * 1_024 ** 2;
const MAX_ATTACHMENTS = 10;
const MAX_CONTENT = 2_000;
const MAX_DESCRIPTION = 1_024;
const MAX_NAME = 100;
const MAX_TAGS = 5;
/** SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS. */
const FLAGS = [0, 4, 4_096, 4_100];

export const FILES = { platform: "discord", owner: "uploads" } as const;

const snowflake = z.string().regex(/^\d{1,20}$/);

export const messageInput = z.object({
  content: z.string().nullish(),
  allowed_mentions: z
    .object({ parse: z.array(z.enum(["roles", "users", "everyone"])).optional() })
    .nullish(),
  attachments: z
    .array(
      z.object({ id: z.int(), filename: z.string().optional(), description: z.string().nullish() }),
    )
    .optional(),
  flags: z.int().optional(),
});

export type MessageInput = z.output<typeof messageInput>;

const tags = z.array(snowflake).optional();

export const webhookInput = messageInput.extend({
  thread_name: z.string().optional(),
  applied_tags: tags,
});

export const botInput = messageInput.extend({
  nonce: z.string().max(25).optional(),
  enforce_nonce: z.boolean().optional(),
  message_reference: z
    .object({ message_id: snowflake, fail_if_not_exists: z.boolean().optional() })
    .optional(),
});

export const threadInput = z.object({
  name: z.string(),
  applied_tags: tags,
  message: messageInput,
});

async function readRaw(call: Call): Promise<Pick<SentForm, "files"> & { json: string }> {
  const type = call.req.header("content-type") ?? "";
  if (type.startsWith("multipart/form-data")) {
    const limits = { fieldSize: MAX_REQUEST_BYTES, fileSize: MAX_FILE_BYTES };
    const form = await readStreamedForm(call, FILES, limits);
    if (form === "too_large") throw tooLarge();
    if (form === "malformed") throw invalidForm("_", "FORM_INVALID", "The form cannot be read.");
    const { fields, files } = form;
    const bytes = [...files.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (bytes > MAX_REQUEST_BYTES) throw tooLarge();
    return { json: fields.payload_json ?? "{}", files };
  }
  const bytes = await readBody(call.req.raw, MAX_REQUEST_BYTES);
  if (!bytes) throw tooLarge();
  return { json: new TextDecoder().decode(bytes), files: new Map() };
}

/** @throws Refusal for an invalid or large body */
export async function readInput<T extends z.ZodType>(
  call: Call,
  shape: T,
): Promise<Pick<SentForm, "files"> & { fields: z.output<T> }> {
  const { json, files } = await readRaw(call);
  let body: unknown;
  try {
    body = JSON.parse(json);
  } catch {
    throw refusal(400, 50109, "The request body contains invalid JSON.");
  }
  const { success, data, error } = shape.safeParse(body);
  if (success) return { fields: data, files };
  const [issue] = error.issues;
  throw invalidForm(issue?.path.join(".") || "_", "BASE_TYPE_BAD", issue?.message ?? "");
}

const lengthOf = (text: string | null | undefined): number => [...(text ?? "")].length;

/** The name of the form's field with file `id`. */
export const fieldOf = (id: number): string => `files[${id}]`;

/** @throws Refusal for what a message cannot have */
export function requireContent({ content, attachments = [], flags = 0 }: MessageInput): void {
  if (lengthOf(content) > MAX_CONTENT) throw tooLong("content", MAX_CONTENT);
  if (!FLAGS.includes(flags)) throw invalidForm("flags", "BASE_TYPE_CHOICES", "Invalid flags.");
  const long = attachments.findIndex((one) => lengthOf(one.description) > MAX_DESCRIPTION);
  if (long >= 0) throw tooLong(`attachments.${long}.description`, MAX_DESCRIPTION);
}

/** @throws Refusal for what no new message has */
export function requireMessage(input: MessageInput, files: SentForm["files"]): void {
  requireContent(input);
  const { content, attachments = [] } = input;
  if ((content ?? "").trim() === "" && files.size === 0) {
    throw refusal(400, 50006, "Cannot send an empty message");
  }
  if (files.size > MAX_ATTACHMENTS) {
    throw refusal(400, 30015, "Maximum number of attachments in a message reached (10)");
  }
  const unknown = attachments.findIndex(({ id }) => !files.has(fieldOf(id)));
  if (unknown >= 0) {
    throw invalidForm(`attachments.${unknown}.id`, "ATTACHMENT_NOT_FOUND", "Unknown attachment.");
  }
}

/** @throws Refusal for a name or tags that a new thread of the forum cannot have */
export function requireThread(
  { name, field, tags = [] }: { name: string; field: string; tags: string[] | undefined },
  { needsTag, tagId }: { needsTag: boolean; tagId: string },
): void {
  if (name.trim() === "") throw invalidForm(field, "BASE_TYPE_REQUIRED", "This field is required");
  if (lengthOf(name) > MAX_NAME) throw tooLong(field, MAX_NAME);
  if (tags.length > MAX_TAGS) throw tooLong("applied_tags", MAX_TAGS);
  if (tags.some((tag) => tag !== tagId)) throw refusal(400, 10087, "Unknown tag");
  if (needsTag && tags.length === 0) {
    throw refusal(400, 40067, "A tag is required to create a forum post in this channel");
  }
}
