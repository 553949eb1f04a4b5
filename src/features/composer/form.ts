import type { FieldError } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import { type Fields, lastOf, readForm } from "../../http/multipart.ts";
import { takeFile } from "../compose/media.ts";
import type { NewMedia } from "../compose/new-post.ts";
import type { DraftContent, DraftOverride, When } from "../drafts/table.ts";
import { addFile } from "../library/change.ts";
import { OVERRIDES, WHENS } from "./content.ts";

export interface ComposeForm {
  content: DraftContent;
  /** The draft and its version as the page had them. */
  draft: { id: number; version: number } | null;
  key: string;
  uploadId: number | null;
  isWhenChosen: boolean;
  /** The button that sent the form. */
  action: string;
  /** Refused files. */
  errors: FieldError[];
}

const OWN_FIELDS = new Set([
  ...["accountId", "title", "description", "thread", "first_comment", "mediaId", "altText"],
  ...["mediaPart", "photo", "video", "file", "thumbnail", "thumbnailMediaId", "when", "date"],
  ...["time", "poolId", "draft", "version", "key", "upload", "do", "creator"],
]);

/** A hundred accounts with settings of their own, on every platform. */
const MAX_PARTS = 2_000;

const OVERRIDE = /^overrides\.([\w-]+)\.(\w+)$/;

/** Stores the files that came with the form in the team's library. */
export async function readComposeForm(ctx: Ctx, request: Request): Promise<ComposeForm> {
  const media: NewMedia[] = [];
  const fields = await readForm(request, {
    maxParts: MAX_PARTS,
    onLarge: async () => {},
    onFile: async (part) => {
      if (part.name === "") {
        for await (const _ of part.bytes);
        return;
      }
      media.push(await takeFile(ctx, part, true));
    },
  });
  const errors = media.flatMap(({ field, ...item }) =>
    "refusal" in item ? [{ field, message: item.refusal }] : [],
  );
  if (fields.get("mediaId")?.some((mediaId) => !HASH.test(mediaId))) {
    const message = "A file is not one of the library, and was left out. Add it again.";
    errors.push({ field: "photo", message });
  }
  const content = readContent(fields);
  await keepFiles(ctx, media, content);
  return {
    content,
    draft: readDraftName(fields),
    key: (lastOf(fields, "key") ?? "").slice(0, 100),
    uploadId: wholeNumber(lastOf(fields, "upload")),
    isWhenChosen: whenOf(fields) !== undefined,
    action: lastOf(fields, "do") ?? "send",
    errors,
  };
}

/** Files of the form are stored like files of the library that are not kept. */
async function keepFiles(
  ctx: Ctx,
  media: readonly NewMedia[],
  content: DraftContent,
): Promise<void> {
  for (const item of media) {
    if (!("received" in item)) continue;
    const file = item.received;
    await addFile(ctx, {
      file,
      isPresigned: false,
      name: undefined,
      keep: false,
      isOfDraft: true,
    });
    if (item.role === "thumbnail") content.thumbnailMediaId = file.sha256;
    else content.media.push({ mediaId: file.sha256, altText: "" });
  }
}

const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;

function readDraftName(fields: Fields): ComposeForm["draft"] {
  const [id, version] = [lastOf(fields, "draft"), lastOf(fields, "version")].map(wholeNumber);
  return id && version ? { id, version } : null;
}

const whenOf = (fields: Fields): When | undefined =>
  WHENS.find((when) => when === lastOf(fields, "when"));

const HASH = /^[0-9a-f]{64}$/;

export function readContent(fields: Fields): DraftContent {
  const all = (name: string) => fields.get(name) ?? [];
  const one = (name: string) => lastOf(fields, name) ?? "";
  const altTexts = all("altText");
  const parts = all("mediaPart").map(Number);
  const files = all("mediaId")
    .map((mediaId, i) => ({ mediaId, altText: altTexts[i] ?? "", part: parts[i] ?? 0 }))
    .filter(({ mediaId }) => HASH.test(mediaId));
  const thread = all("thread").map((text, i) => ({
    text,
    media: files.flatMap(({ part }, at) => (part === i + 1 ? [at] : [])),
  }));
  const at = joinedTime(one("date"), one("time"));
  const kind = whenOf(fields) ?? (at === "" ? "now" : "at");
  const thumbnail = one("thumbnailMediaId");
  return {
    accountIds: [...new Set(all("accountId"))],
    title: one("title"),
    description: one("description"),
    fields: readSettings(fields),
    overrides: readOverrides(fields),
    thread,
    firstComment: one("first_comment"),
    media: files.map(({ mediaId, altText }) => ({ mediaId, altText })),
    thumbnailMediaId: HASH.test(thumbnail) ? thumbnail : null,
    when: { kind, at, poolId: wholeNumber(one("poolId")) },
  };
}

const joinedTime = (date: string, time: string): string =>
  date === "" && time === "" ? "" : `${date.slice(0, 10)}T${time.slice(0, 5)}`;

function readOverrides(fields: Fields): DraftContent["overrides"] {
  const overrides: Record<string, DraftOverride> = {};
  for (const [field, values] of fields) {
    const [, key = "", name = ""] = OVERRIDE.exec(field) ?? [];
    const known = OVERRIDES.find((one) => one === name);
    const value = values.at(-1) ?? "";
    if (known && value.trim() !== "") overrides[key] = { ...overrides[key], [known]: value };
  }
  return overrides;
}

/** TikTok's switches allow, its fields forbid. */
const SWITCHES = ["comment", "duet", "stitch"] as const;

function readSettings(fields: Fields): DraftContent["fields"] {
  const creators = fields.get("creator") ?? [];
  const isSwitch = (name: string) =>
    creators.some((id) => SWITCHES.some((one) => name === `${id}.allow_${one}`));
  const settings: DraftContent["fields"] = {};
  for (const [name, values] of fields) {
    if (OWN_FIELDS.has(name) || OVERRIDE.test(name) || isSwitch(name)) continue;
    const filled = values.filter((value) => value.trim() !== "");
    const [first] = filled;
    if (first !== undefined) settings[name] = filled.length === 1 ? first : filled;
  }
  for (const id of creators) {
    for (const one of SWITCHES) {
      settings[`${id}.disable_${one}`] = String(!fields.has(`${id}.allow_${one}`));
    }
  }
  return settings;
}
