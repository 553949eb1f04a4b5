import { type FieldError, fieldError } from "../../core/errors.ts";
import type { Deps } from "../../deps.ts";
import { lastOf } from "../../platforms/kit/form-fields.ts";
import { connectorOf, connectors } from "../../platforms/registry.ts";
import { partsOf } from "../compose/judge.ts";
import type { CheckedMedia } from "../compose/media.ts";
import { marksAlone, namesParts, type RawSettings, WITH_THREAD } from "../compose/new-post.ts";
import { UNKNOWN_FILE } from "../content/as-published.ts";
import type { PoolTarget } from "./repo/slots.ts";
import type { ItemFile, ItemRow } from "./table.ts";
import { withText } from "./turns.ts";

export interface SentParts {
  thread?: string | unknown[] | null | undefined;
  thread_marks?: string | boolean | null | undefined;
  first_comment?: string | null | undefined;
}

export function toRawParts(sent: SentParts): RawSettings {
  const { thread, thread_marks: marks, first_comment: comment } = sent;
  const isEmpty = thread === null || thread?.length === 0;
  return {
    ...(thread === undefined
      ? {}
      : { thread: isEmpty ? "" : typeof thread === "string" ? thread : JSON.stringify(thread) }),
    ...(marks === undefined ? {} : { thread_marks: String(marks ?? "") }),
    ...(comment === undefined ? {} : { first_comment: comment ?? "" }),
  };
}

type Subject = Pick<ItemRow, "title" | "description" | "settings" | "media" | "variants">;

/** Without slots, only what every platform refuses is refused. */
export async function partErrors(
  { now }: Pick<Deps, "now">,
  item: Subject,
  targets: readonly PoolTarget[],
): Promise<FieldError[]> {
  const { settings: raw, title, description, variants } = item;
  if (!namesParts(raw)) return [];
  const alone = marksAlone(raw);
  if (alone.length > 0) return [fieldError("thread_marks", WITH_THREAD)];
  const media = item.media.map(toChecked);
  const own = { title, description };
  const isSplit = lastOf(raw.thread).toLowerCase() === "auto";
  const texts = isSplit ? [own, ...(variants ?? []).map((text) => withText(item, text))] : [own];
  const errorsAt = async ({ platform, ...account }: PoolTarget): Promise<FieldError[]> => {
    const connector = connectorOf(platform);
    const { values } = connector.settings.read(raw);
    const settings = values as Record<string, unknown>;
    const target = { now: now(), ...account };
    const read = await Promise.all(
      texts.map((one) => partsOf(connector, { raw, texts: one, media, settings }, target)),
    );
    return read.flatMap(({ errors }) => errors);
  };
  const known = targets.map(errorsAt);
  const lists = await Promise.all(known.length > 0 ? known : everywhere().map(errorsAt));
  const all = lists.flat();
  const inAll = ({ message }: FieldError) =>
    lists.every((list) => list.some((error) => error.message === message));
  const seen = new Set<string>();
  return all.filter((error) => {
    if (seen.has(error.message) || (known.length === 0 && !inAll(error))) return false;
    seen.add(error.message);
    return true;
  });
}

const everywhere = (): PoolTarget[] =>
  connectors().flatMap(({ platform, followUps }) =>
    followUps?.kinds.includes("post")
      ? [{ platform, platformAccountId: "", serverLimits: null }]
      : [],
  );

function toChecked(file: ItemFile): CheckedMedia {
  const kind = file.role === "video" ? "video" : "image";
  const ref = "sha256" in file ? ({ sha256: file.sha256, kind } as const) : { url: file.url };
  return { role: file.role, media: { ...UNKNOWN_FILE, kind }, ref };
}
