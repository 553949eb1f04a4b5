import { ZoneClock } from "../../../core/zone.ts";
import { CallRefused, call } from "../call.ts";

const root = document.querySelector<HTMLElement>("[data-calendar]");
const told = document.querySelector<HTMLElement>("[data-told]");

export const calendar = root as HTMLElement;

const clock = new ZoneClock(root?.dataset.zone ?? "UTC");

export const dayOf = (element: Element | null): HTMLElement | null =>
  element?.closest<HTMLElement>("[data-day]") ?? null;

const nameOf = (day: string): string =>
  calendar.querySelector(`[data-day="${day}"] .long`)?.textContent ?? day;

export function tell(text: string): void {
  if (told) told.textContent = text;
}

const listOf = (day: Element): HTMLElement => day.querySelector(".entries") as HTMLElement;

function markEmpty(day: Element | null): void {
  day?.classList.toggle("empty", day.querySelector(".entry, .more") === null);
}

function place(entry: HTMLElement, day: HTMLElement, time: string): void {
  const from = dayOf(entry);
  const next = [...listOf(day).children].find(
    (other) => other !== entry && (other.querySelector(".time")?.textContent ?? "") > time,
  );
  listOf(day).insertBefore(entry, next ?? null);
  markEmpty(from);
  markEmpty(day);
}

function refuse(entry: HTMLElement, text: string | null): void {
  entry.querySelector(".refusal")?.remove();
  const link = entry.querySelector(".open");
  const inputs = [...entry.querySelectorAll("details input")];
  for (const one of [link, ...inputs]) one?.removeAttribute("aria-describedby");
  for (const input of inputs) input.removeAttribute("aria-invalid");
  if (text === null || link === null) return;
  const refusal = document.createElement("p");
  refusal.className = "refusal";
  refusal.id = `refusal-${entry.dataset.id}`;
  refusal.textContent = text;
  link.after(refusal);
  for (const one of [link, ...inputs]) one.setAttribute("aria-describedby", refusal.id);
}

function show(entry: HTMLElement, wall: string): void {
  entry.dataset.wall = wall;
  const [date = "", time = ""] = wall.split("T");
  const shown = entry.querySelector(".time");
  if (shown) shown.textContent = time;
  const [dateInput, timeInput] = entry.querySelectorAll<HTMLInputElement>("details input");
  if (dateInput) dateInput.value = date;
  if (timeInput) timeInput.value = time;
}

interface Edited {
  message?: string;
  data: { status: string };
}

/** The state of a post that a move has sent back for approval. */
function showHeld(entry: HTMLElement): void {
  const state = entry.querySelector(".state");
  if (state) {
    state.textContent = "Waits for approval";
    state.className = "state wait";
  }
  const sign = entry.querySelector(".sign");
  if (sign) sign.textContent = "?";
  entry.classList.add("wait");
}

/** Shows the move at once, and undoes it if the service refuses it. */
export async function move(entry: HTMLElement, date: string, time: string): Promise<boolean> {
  const { id, wall: before = "" } = entry.dataset;
  const [home, next] = [entry.parentElement, entry.nextSibling];
  const from = dayOf(entry);
  const isFocused = entry.contains(document.activeElement);
  const focused = document.activeElement as HTMLElement | null;
  const { at, rule } = clock.instantOf(date, time);
  const wall = clock.wallTimeAt(at);
  const day = calendar.querySelector<HTMLElement>(`[data-day="${wall.slice(0, 10)}"]`);
  refuse(entry, null);
  if (day) place(entry, day, wall.slice(11));
  show(entry, wall);
  if (isFocused) focused?.focus();
  entry.classList.add("busy");
  try {
    const scheduledFor = new Date(at).toISOString();
    const { message, data } = await call<Edited>("PATCH", `/upload/${id}`, { scheduledFor });
    if (data.status === "pending_approval") showHeld(entry);
    const why = rule === "skipped_hour" ? " That hour does not exist on this day." : "";
    tell(`Moved to ${nameOf(wall.slice(0, 10))}, ${wall.slice(11)}.${why} ${message ?? ""}`.trim());
    if (!day) entry.remove();
    markEmpty(from);
    return true;
  } catch (error) {
    if (!(error instanceof CallRefused)) throw error;
    const text = error.message.replace(/^Must\b/, "The time must");
    home?.insertBefore(entry, next?.parentNode === home ? next : null);
    show(entry, before);
    markEmpty(day);
    markEmpty(from);
    refuse(entry, text);
    if (isFocused) focused?.focus();
    tell(`The post stays where it was. ${text}`);
    return false;
  } finally {
    entry.classList.remove("busy");
  }
}
