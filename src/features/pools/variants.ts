import { type FieldError, fieldError } from "../../core/errors.ts";
import type { Deps } from "../../deps.ts";
import type { Post } from "../../platforms/connector.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { UNKNOWN_FILE } from "../content/as-published.ts";
import { textErrors } from "../content/bounds.ts";
import type { PoolTarget } from "./repo/slots.ts";
import type { ItemRow } from "./table.ts";
import { withText } from "./turns.ts";

type Varied = Pick<ItemRow, "title" | "description" | "settings" | "media" | "variants">;

export async function variantErrors(
  { now }: Pick<Deps, "now">,
  item: Varied,
  targets: readonly PoolTarget[],
): Promise<FieldError[]> {
  const { variants, description } = item;
  if (variants === null) return [];
  const field = description === null ? "title" : "description";
  const named = (i: number, message: string) => fieldError(`variants.${i}`, message);
  const errors = variants.flatMap((text, i) =>
    textErrors({ [field]: text }).map(({ message }) => named(i, withoutField(message))),
  );
  const seen = new Set<string>();
  for (const { platform, ...account } of targets) {
    const connector = connectorOf(platform);
    const { values } = connector.settings.read(item.settings);
    const check = async (text: string) => {
      const { title, description } = withText(item, text);
      const media = item.media.map(({ role }) => ({
        ...UNKNOWN_FILE,
        kind: role === "video" ? ("video" as const) : ("image" as const),
      }));
      const post: Post = { title, description, settings: values, media, thumbnail: null };
      return (await connector.check(post, { now: now(), ...account })).map(
        ({ message }) => message,
      );
    };
    const others = new Set(await check("A"));
    for (const [i, text] of variants.entries()) {
      for (const message of await check(text)) {
        const error = named(i, `${connector.name}: ${withoutField(message)}`);
        if (others.has(message) || seen.has(error.message)) continue;
        seen.add(error.message);
        errors.push(error);
      }
    }
  }
  return errors;
}

const withoutField = (message: string): string => message.replace(/^[a-z_.0-9]+: /, "");
