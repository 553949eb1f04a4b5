export interface Place {
  id: number;
  position: number;
}

export interface Move {
  id: number;
  from: number;
  to: number;
}

/**
 * The fewest changed positions that put one item before another, at the end for null. Positions stay whole numbers and
 * may become negative.
 *
 * @param queue In its order
 * @returns null when one of the two is not in the queue
 */
export function movesTo(queue: readonly Place[], id: number, before: number | null): Move[] | null {
  const item = queue.find((place) => place.id === id);
  const others = queue.filter((place) => place.id !== id);
  const at = before === null ? others.length : others.findIndex((place) => place.id === before);
  if (before === id && item) return [];
  if (!item || at < 0) return null;
  if (queue[at] === item) return [];
  const [last, next] = [others[at - 1]?.position, others[at]?.position];
  const to = last !== undefined ? last + 1 : (next ?? 0) - 1;
  if (last === undefined || next === undefined || to < next) {
    return [{ id, from: item.position, to }];
  }
  let least = Number.NEGATIVE_INFINITY;
  return [...others.slice(0, at), item, ...others.slice(at)].flatMap((place, i) => {
    least = Math.max(queue[i]?.position ?? 0, least + 1);
    return least === place.position ? [] : [{ id: place.id, from: place.position, to: least }];
  });
}

export type Step = "up" | "down" | "first" | "last";

/** Which item it goes before, for a step from its place; the item itself where it stays. */
export function beforeOf(queue: readonly Place[], id: number, step: Step): number | null {
  const at = queue.findIndex((place) => place.id === id);
  if (at < 0 || step === "last") return at < 0 ? id : null;
  if (step === "first") return queue[0]?.id ?? id;
  if (step === "up") return queue[at - 1]?.id ?? id;
  return at >= queue.length - 1 ? id : (queue[at + 2]?.id ?? null);
}
