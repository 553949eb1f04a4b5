import * as z from "zod";
import { readBody, readMultipart } from "../kit/input.ts";
import type { Call } from "../kit/simulator.ts";
import { invalidForm, refusal, tooLarge, tooLong } from "./call.ts";

/** Source: Discord, "Message Resource", Create Message. */
const MAX_REQUEST_BYTES = 25 * 1_024 ** 2;
/** Source: Discord, "Reference", uploading files. */
const MAX_FILE_BYTES = 10 * 1_024 ** 2;
const MAX_ATTACHMENTS = 10;
const MAX_CONTENT = 2_000;
const MAX_DESCRIPTION = 1_024;
const MAX_NAME = 100;
const MAX_USERNAME = 80;
const MAX_NONCE = 25;
const MAX_TAGS = 5;
/** SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS. */
const FLAGS = [0, 4, 4_096, 4_100];

const snowflake = z.string().regex(/^\d{1,20}$/);

const allowedMentions = z.object({
  parse: z.array(z.enum(["roles", "users", "everyone"])).optional(),
  users: z.array(snowflake).max(100).optional(),
  roles: z.array(snowflake).max(100).optional(),
  replied_user: z.boolean().optional(),
});

const attachment = z.object({
  id: z.union([z.int(), snowflake]),
  filename: z.string().optional(),
  description: z.string().nullish(),
  is_spoiler: z.boolean().optional(),
});

const messageFields = {
  content: z.string().nullish(),
  allowed_mentions: allowedMentions.nullish(),
  attachments: z.array(attachment).optional(),
  flags: z.int().optional(),
};

export const webhookInput = z.object({
  ...messageFields,
  username: z.string().optional(),
  avatar_url: z.string().optional(),
  thread_name: z.string().optional(),
  applied_tags: z.array(snowflake).optional(),
});

export const botInput = z.object({
  ...messageFields,
  nonce: z.union([z.int(), z.string()]).optional(),
  enforce_nonce: z.boolean().optional(),
  message_reference: z
    .object({ message_id: snowflake, fail_if_not_exists: z.boolean().optional() })
    .optional(),
});

export const threadInput = z.object({
  name: z.string(),
  applied_tags: z.array(snowflake).optional(),
  message: z.object(messageFields),
});

export const editInput = z.object(messageFields);

export type MessageInput = z.output<typeof editInput>;

export interface SentFile {
  index: number;
  blob: Blob;
  filename: string;
}

export interface Input<T> {
  fields: T;
  files: SentFile[];
}

const FILE = /^files\[(\d{1,2})\]$/;

async function readForm(call: Call): Promise<{ json: string; files: SentFile[] }> {
  const form = await readMultipart(call, MAX_REQUEST_BYTES);
  if (form === "too_large") throw tooLarge();
  if (form === "malformed") throw invalidForm("_", "FORM_INVALID", "The form cannot be read.");
  const files: SentFile[] = [];
  let json = "{}";
  for (const [name, value] of form) {
    const index = FILE.exec(name)?.[1];
    if (name === "payload_json") json = typeof value === "string" ? value : await value.text();
    else if (index !== undefined && typeof value !== "string") {
      files.push({ index: Number(index), blob: value, filename: value.name });
    }
  }
  return { json, files };
}

async function readRaw(call: Call): Promise<{ json: string; files: SentFile[] }> {
  const type = call.req.header("content-type") ?? "";
  if (type.startsWith("multipart/form-data")) return readForm(call);
  if (!type.startsWith("application/json")) {
    const words = "Expected \"Content-Type\" header to be one of {'application/json'}.";
    throw invalidForm("_misc", "CONTENT_TYPE_INVALID", words);
  }
  const bytes = await readBody(call.req.raw, MAX_REQUEST_BYTES);
  if (!bytes) throw tooLarge();
  return { json: new TextDecoder().decode(bytes), files: [] };
}

/** @throws Refusal for an invalid or large body */
export async function readInput<T extends z.ZodType>(
  call: Call,
  shape: T,
): Promise<Input<z.output<T>>> {
  const { json, files } = await readRaw(call);
  let body: unknown;
  try {
    body = JSON.parse(json);
  } catch {
    throw refusal(400, 50109, "The request body contains invalid JSON.");
  }
  const { success, data, error } = shape.safeParse(body);
  const [issue] = error?.issues ?? [];
  if (!success) {
    throw invalidForm(issue?.path.join(".") || "_", "BASE_TYPE_BAD", issue?.message ?? "");
  }
  return { fields: data, files };
}

export const lengthOf = (text: string): number => [...text].length;

/** @throws Refusal for what a message cannot have */
export function requireMessage(
  { content, allowed_mentions: mentions, attachments = [], flags = 0 }: MessageInput,
  files: readonly SentFile[],
  isEdit = false,
): void {
  const isEmpty = (content ?? "").trim() === "" && files.length === 0;
  if (isEmpty && !isEdit) throw refusal(400, 50006, "Cannot send an empty message");
  if (lengthOf(content ?? "") > MAX_CONTENT) throw tooLong("content", MAX_CONTENT);
  if (!FLAGS.includes(flags)) throw invalidForm("flags", "BASE_TYPE_CHOICES", "Invalid flags.");
  for (const kind of ["users", "roles"] as const) {
    if (mentions?.parse?.includes(kind) && (mentions[kind]?.length ?? 0) > 0) {
      const message = `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`;
      throw invalidForm("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE", message);
    }
  }
  if (files.length > MAX_ATTACHMENTS) {
    throw refusal(400, 30015, "Maximum number of attachments in a message reached (10)");
  }
  if (files.some(({ blob }) => blob.size > MAX_FILE_BYTES)) throw tooLarge();
  for (const [at, { id, description }] of attachments.entries()) {
    const hasFile = files.some(({ index }) => index === id);
    if (!hasFile && !isEdit) {
      throw invalidForm(`attachments.${at}.id`, "ATTACHMENT_NOT_FOUND", "Unknown attachment.");
    }
    if (lengthOf(description ?? "") > MAX_DESCRIPTION) {
      throw tooLong(`attachments.${at}.description`, MAX_DESCRIPTION);
    }
  }
}

/** @throws Refusal for a name that no thread can have */
export function requireThreadName(field: string, name: string): void {
  if (name.trim() === "") throw invalidForm(field, "BASE_TYPE_REQUIRED", "This field is required");
  if (lengthOf(name) > MAX_NAME) throw tooLong(field, MAX_NAME);
}

/** @throws Refusal where the channel has no such tag, or asks for one */
export function requireTags(
  tags: readonly string[],
  { needsTag, tagId }: { needsTag: boolean; tagId: string },
): void {
  if (tags.length > MAX_TAGS) throw tooLong("applied_tags", MAX_TAGS);
  if (tags.some((tag) => tag !== tagId)) throw refusal(400, 10087, "Unknown tag");
  if (needsTag && tags.length === 0) {
    throw refusal(400, 40067, "A tag is required to create a forum post in this channel");
  }
}

/** @throws Refusal for a name that Discord reserves */
export function requireUsername(name: string | undefined): void {
  if (name === undefined) return;
  if (lengthOf(name) > MAX_USERNAME) throw tooLong("username", MAX_USERNAME);
  const reserved = ["clyde", "discord"].find((word) => name.toLowerCase().includes(word));
  if (!reserved) return;
  throw invalidForm(
    "username",
    "USERNAME_INVALID_CONTAINS",
    `Username cannot contain "${reserved}"`,
  );
}

/** @throws Refusal for a long nonce */
export function requireNonce(nonce: string | number | undefined): string | null {
  if (nonce === undefined) return null;
  if (String(nonce).length > MAX_NONCE) throw tooLong("nonce", MAX_NONCE);
  return String(nonce);
}
