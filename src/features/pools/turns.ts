import { addDays } from "../../core/zone.ts";
import type { ItemRow } from "./table.ts";

/** Spec is silent on these maximums. */
export const MAX_REPEAT_DAYS = 3_650;
export const REPEAT_TIMES = { min: 2, max: 1_000 };
export const MAX_VARIANTS = 20;
export const MAX_VARIANT_CHARACTERS = 100_000;

export interface Repeat {
  every: { days: number };
  times: number;
}

type Texts = Pick<ItemRow, "title" | "description" | "variants">;

export const withText = <T extends Texts>(item: T, text: string): T =>
  item.description === null ? { ...item, title: text } : { ...item, description: text };

export function variantOf(
  { variants }: Pick<Texts, "variants">,
  dispatches: number,
): number | null {
  const place = dispatches % ((variants?.length ?? 0) + 1);
  return place === 0 ? null : place - 1;
}

export function textsOfTurn<T extends Texts>(item: T, dispatches: number): T {
  const variant = variantOf(item, dispatches);
  const text = variant === null ? undefined : item.variants?.[variant];
  return text === undefined ? item : withText(item, text);
}

type Turn = Pick<ItemRow, "repeatDays" | "dispatches" | "failures" | "lastLocal">;

export function waitsUntil({ repeatDays, dispatches, failures, lastLocal }: Turn): string | null {
  if (repeatDays === null || dispatches === 0 || failures > 0 || lastLocal === null) return null;
  return addDays(lastLocal.slice(0, 10), repeatDays) + lastLocal.slice(10);
}
