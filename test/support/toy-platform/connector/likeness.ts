import type { Post } from "../connector.ts";
import { leftOut, likenessOf, TITLE_UNPUBLISHED } from "../kit/likeness.ts";
import { EVERYONE, oneOf, settingWords } from "../kit/setting-words.ts";
import type { Likeness } from "../likeness.ts";
import type { ToySettings } from "./index.ts";

export function likeness({ title, description }: Post<ToySettings>): Likeness {
  const unpublished = leftOut(TITLE_UNPUBLISHED, title);
  return likenessOf({ text: description ?? "", unpublished, hasGrid: true });
}

export const describeSettings = settingWords<ToySettings>({
  mastotoy_visibility: ["Who can see it", oneOf({ public: EVERYONE, followers: "Followers" })],
});
