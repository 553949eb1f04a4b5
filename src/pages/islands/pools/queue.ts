import { call } from "../call.ts";
import { startReorder } from "../reorder.ts";
import { queue, refresh, say } from "./page.ts";

const MOVABLE = "li.item[data-id]";

const items = (): HTMLElement[] => [...(queue()?.querySelectorAll<HTMLElement>(MOVABLE) ?? [])];

const buttonOf = (item: HTMLElement, to: string): HTMLButtonElement | null =>
  item.querySelector(`button[name=to][value=${to}]`);

/** Of the page of the queue; the ends of other pages stay with the server. */
interface Ends {
  hasBefore: boolean;
  hasAfter: boolean;
}

function readEnds(): Ends {
  const all = items();
  const [first, last] = [all[0], all.at(-1)];
  return {
    hasBefore: first ? buttonOf(first, "up")?.disabled === false : false,
    hasAfter: last ? buttonOf(last, "down")?.disabled === false : false,
  };
}

function renumber({ hasBefore, hasAfter }: Ends, firstNumber: number): void {
  const all = items();
  all.forEach((item, i) => {
    const number = item.querySelector(".number");
    if (number) number.textContent = `${firstNumber + i}.`;
    const isFirst = i === 0 && !hasBefore;
    const [up, down, top] = ["up", "down", "first"].map((to) => buttonOf(item, to));
    if (up) up.disabled = isFirst;
    if (top) top.disabled = isFirst;
    if (down) down.disabled = i === all.length - 1 && !hasAfter;
  });
}

const numberOf = (item: HTMLElement | undefined): number =>
  Number.parseInt(item?.querySelector(".number")?.textContent ?? "1", 10);

function place(item: HTMLElement, next: HTMLElement | null | undefined): void {
  if (next) next.before(item);
  else queue()?.append(item);
}

let waiting: Promise<unknown> = Promise.resolve();

async function move(item: HTMLElement, to: number): Promise<void> {
  const all = items();
  const others = all.filter((one) => one !== item);
  const before = others[to];
  const [from, ends, first] = [all.indexOf(item), readEnds(), numberOf(all[0])];
  if (to === from || to < 0 || to > others.length || (!before && ends.hasAfter)) return;
  place(item, before);
  renumber(ends, first);
  const { id } = item.dataset;
  const path = `/pools/${queue()?.dataset.pool}/videos/${id}/move`;
  const body = { before: before ? Number(before.dataset.id) : null };
  const title = item.querySelector("h3")?.textContent?.replace(/^\s*\d+\.\s*/, "") ?? "The item";
  const sent = waiting.then(() => call("POST", path, body));
  waiting = sent.catch(() => null);
  try {
    await sent;
    say(`${title} is now number ${first + to}.`);
  } catch (error) {
    place(item, others[from]);
    renumber(ends, first);
    say(`The item stays where it was. ${(error as Error).message}`);
    return;
  }
}

function onSubmit(event: SubmitEvent): void {
  const button = event.submitter as HTMLButtonElement | null;
  const item = button?.closest<HTMLElement>(MOVABLE);
  if (button?.name !== "to" || !item || !queue()?.contains(item)) return;
  const all = items();
  const at = all.indexOf(item);
  const { hasBefore } = readEnds();
  const to = button.value === "up" ? at - 1 : button.value === "down" ? at + 1 : 0;
  const isElsewhere = to < 0 || to >= all.length || (button.value === "first" && hasBefore);
  if (isElsewhere) return;
  event.preventDefault();
  void move(item, to);
  if (button.disabled) item.querySelector<HTMLElement>("button[name=to]:enabled")?.focus();
  else button.focus();
}

export function startQueue(): void {
  document.addEventListener("submit", onSubmit);
  watch();
}

/** The list is another element after a refresh. */
function watch(): void {
  const list = queue();
  if (!list) return;
  startReorder(list, MOVABLE, (item, to) => void move(item, to));
}

export async function refreshQueue(): Promise<void> {
  await refresh();
  watch();
}
