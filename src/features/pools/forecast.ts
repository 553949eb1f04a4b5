import type { Platform } from "../../core/platforms.ts";
import { DAY } from "../../core/time.ts";
import type { LocalDay, ZoneClock } from "../../core/zone.ts";
import { connectorOf } from "../../platforms/registry.ts";
import { DUPLICATE_WINDOW_MS } from "../limits/content-rules.ts";
import { type Firing, firingsBetween } from "./rules.ts";
import type { ItemRow, SlotRow } from "./table.ts";
import { textsOfTurn, variantOf, waitsUntil } from "./turns.ts";

export type QueuedItem = Pick<
  ItemRow,
  | "id"
  | "title"
  | "description"
  | "repeatDays"
  | "repeatTimes"
  | "variants"
  | "dispatches"
  | "failures"
  | "lastLocal"
>;

export interface Publication {
  itemId: number;
  accountId: string;
  variant: number | null | undefined;
  /** Epoch ms. */
  at: number;
}

export interface SlotAccount {
  id: string;
  platform: Platform;
}

export interface ComingTurn {
  id: number;
  title: string;
  turn?: { number: number; of: number; variant: number | null; text: string };
}

const nameOf = (itemId: number, accountId: string) => `${itemId} ${accountId}`;

export class Forecast {
  readonly #queue: QueuedItem[];
  readonly #accounts: ReadonlyMap<string, Platform>;
  readonly #lastAt = new Map<string, number>();

  constructor(
    queue: readonly QueuedItem[],
    accounts: readonly SlotAccount[],
    publications: readonly Publication[],
  ) {
    this.#queue = [...queue];
    this.#accounts = new Map(accounts.map(({ id, platform }) => [id, platform]));
    for (const publication of publications) this.#note(publication);
  }

  take({ at, local, accountIds }: ComingSlot): ComingTurn | null {
    if (accountIds.length === 0) return null;
    for (const [i, item] of this.#queue.entries()) {
      const { id, title, repeatDays, repeatTimes, dispatches } = item;
      if (repeatDays === null || repeatTimes === null) {
        this.#queue.splice(i, 1);
        return { id, title };
      }
      if ((waitsUntil(item) ?? "") > local) continue;
      const variant = variantOf(item, dispatches);
      const free = accountIds.filter((account) => this.#isFree(id, account, variant, at));
      if (free.length === 0) continue;
      for (const accountId of free) this.#note({ itemId: id, accountId, variant, at });
      this.#queue.splice(i, 1);
      const number = dispatches + 1;
      if (number < repeatTimes) {
        this.#queue.push({ ...item, dispatches: number, failures: 0, lastLocal: local });
      }
      const texts = textsOfTurn(item, dispatches);
      const text = texts.description ?? texts.title;
      return { id, title, turn: { number, of: repeatTimes, variant, text } };
    }
    return null;
  }

  #isFree(itemId: number, accountId: string, variant: number | null, at: number): boolean {
    const platform = this.#accounts.get(accountId);
    if (platform === undefined) return false;
    const name = nameOf(itemId, accountId);
    const { repeatRule } = connectorOf(platform);
    const last = this.#lastAt.get(repeatRule ? name : `${name} ${variant}`);
    const windowMs = repeatRule ? repeatRule.withinDays * DAY : DUPLICATE_WINDOW_MS;
    return last === undefined || at - last > windowMs;
  }

  #note({ itemId, accountId, variant, at }: Publication): void {
    const name = nameOf(itemId, accountId);
    for (const key of [name, `${name} ${variant}`]) {
      this.#lastAt.set(key, Math.max(at, this.#lastAt.get(key) ?? 0));
    }
  }
}

export interface ComingSlot extends Firing {
  slot: SlotRow;
  local: string;
  accountIds: readonly string[];
}

export function comingSlots(
  clock: ZoneClock,
  slots: readonly SlotRow[],
  { after, days }: { after: number; days: number },
): ComingSlot[] {
  const until = after + days * DAY;
  const toLocal = (day: LocalDay, time: string) => `${day}T${time}`;
  return slots
    .flatMap((slot) =>
      firingsBetween(clock, slot, { after, until, lastDay: slot.lastDay }).map((firing) => ({
        ...firing,
        slot,
        local: toLocal(firing.day, slot.time),
        accountIds: slot.accountIds,
      })),
    )
    .sort((a, b) => a.at - b.at || a.slot.id - b.slot.id);
}
