import { calendar, dayOf } from "./move.ts";

const DAYS_OF_WEEK = 7;

const stopsOf = (day: Element): HTMLElement[] => [
  ...day.querySelectorAll<HTMLElement>(".open, .add, .more"),
];

/** Entries come before the day's other links. */
const firstOf = (day: Element): HTMLElement | null =>
  day.querySelector<HTMLElement>(".open") ?? stopsOf(day)[0] ?? null;

const isShown = (day: HTMLElement): boolean => day.offsetParent !== null;

/** Steps from day to day until one has something to focus. */
function besideDay(day: HTMLElement, step: number): HTMLElement | null {
  const days = [...calendar.querySelectorAll<HTMLElement>("[data-day]")];
  for (let i = days.indexOf(day) + step; i >= 0 && i < days.length; i += step) {
    const other = days[i];
    const stop = other && isShown(other) ? firstOf(other) : null;
    if (stop) return stop;
  }
  return null;
}

/** In a month on a wide screen, the day below is a week later. */
function isGrid(): boolean {
  const days = calendar.querySelector(".days");
  return days !== null && getComputedStyle(days).display === "grid";
}

function stopAfter(day: HTMLElement, stop: HTMLElement, key: string): HTMLElement | null {
  if (key === "ArrowLeft") return besideDay(day, -1);
  if (key === "ArrowRight") return besideDay(day, 1);
  const step = key === "ArrowDown" ? 1 : -1;
  const stops = stopsOf(day);
  const next = stops[stops.indexOf(stop) + step];
  return next ?? besideDay(day, step * (isGrid() ? DAYS_OF_WEEK : 1));
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  const entry = target.closest<HTMLElement>(".entry");
  const details = entry?.querySelector("details");
  if (event.key === "Escape" && details?.open && details.contains(target)) {
    details.open = false;
    entry?.querySelector<HTMLElement>(".open")?.focus();
    return;
  }
  const stop = target.closest<HTMLElement>(".open, .add, .more");
  const day = dayOf(target);
  if (!stop || !day) return;
  if (event.key === "m" && details) {
    event.preventDefault();
    details.open = true;
    details.querySelector("input")?.focus();
    return;
  }
  if (!event.key.startsWith("Arrow")) return;
  const next = stopAfter(day, stop, event.key);
  if (!next) return;
  event.preventDefault();
  next.focus();
}

const BESIDE: Record<string, string> = { k: "prev", j: "next" };

function turnPage({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  const isElsewhere = (target as Element).closest("input, select, textarea, dialog") !== null;
  const rel = BESIDE[key];
  if (rel && !isElsewhere && !ctrlKey && !metaKey && !altKey) {
    document.querySelector<HTMLElement>(`[rel=${rel}]`)?.click();
  }
}

export function listenForKeys(): void {
  calendar.addEventListener("keydown", onKey);
  document.addEventListener("keydown", turnPage);
}
