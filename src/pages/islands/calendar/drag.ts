import { calendar, dayOf, move } from "./move.ts";

const MOUSE_PIXELS = 6;
const TOUCH_PIXELS = 10;
const LONG_PRESS_MS = 400;
/** Width of the zone at the window's edge in which it scrolls. */
const EDGE_PIXELS = 60;
const SCROLL_PIXELS = 12;

interface Drag {
  entry: HTMLElement;
  pointer: number;
  isTouch: boolean;
  start: { x: number; y: number };
  at: { x: number; y: number };
  /** Scroll position at the start. */
  scrolled: number;
  isLifted: boolean;
  target: HTMLElement | null;
}

let drag: Drag | null = null;
let press = 0;
let frame = 0;

/** A list on a phone shows its empty days only during a drag: the entry stays under the finger. */
function showEmptyDays(entry: HTMLElement, areShown: boolean): void {
  const before = entry.getBoundingClientRect().top;
  calendar.classList.toggle("dragging", areShown);
  scrollBy(0, entry.getBoundingClientRect().top - before);
}

function lift(): void {
  if (!drag) return;
  drag.isLifted = true;
  showEmptyDays(drag.entry, true);
  drag.scrolled = scrollY;
  drag.entry.classList.add("lifted");
  frame = requestAnimationFrame(scroll);
}

function draw(): void {
  if (!drag) return;
  const { entry, start, at, scrolled } = drag;
  entry.style.transform = `translate(${at.x - start.x}px, ${at.y - start.y + scrollY - scrolled}px)`;
  const target = dayOf(document.elementFromPoint(at.x, at.y));
  if (target === drag.target) return;
  drag.target?.classList.remove("target");
  drag.target = target;
  target?.classList.add("target");
}

function scroll(): void {
  if (!drag) return;
  const { y } = drag.at;
  const step = y < EDGE_PIXELS ? -SCROLL_PIXELS : y > innerHeight - EDGE_PIXELS ? SCROLL_PIXELS : 0;
  if (step !== 0) {
    scrollBy(0, step);
    draw();
  }
  frame = requestAnimationFrame(scroll);
}

function end(): void {
  clearTimeout(press);
  cancelAnimationFrame(frame);
  if (!drag) return;
  drag.entry.classList.remove("lifted");
  drag.entry.style.transform = "";
  drag.target?.classList.remove("target");
  showEmptyDays(drag.entry, false);
  drag = null;
}

function onDown(event: PointerEvent): void {
  const target = event.target as Element;
  const entry = target.closest<HTMLElement>(".entry[data-id]:not(.busy)");
  if (!entry || !target.closest(".open") || event.button !== 0 || !event.isPrimary) return;
  const at = { x: event.clientX, y: event.clientY };
  const isTouch = event.pointerType === "touch";
  drag = {
    entry,
    pointer: event.pointerId,
    isTouch,
    start: at,
    at,
    scrolled: scrollY,
    isLifted: false,
    target: null,
  };
  if (isTouch) press = window.setTimeout(lift, LONG_PRESS_MS);
}

function onMove(event: PointerEvent): void {
  if (drag?.pointer !== event.pointerId) return;
  drag.at = { x: event.clientX, y: event.clientY };
  const distance = Math.hypot(drag.at.x - drag.start.x, drag.at.y - drag.start.y);
  if (!drag.isLifted) {
    if (drag.isTouch && distance > TOUCH_PIXELS) end();
    else if (!drag.isTouch && distance > MOUSE_PIXELS) lift();
  }
  if (drag?.isLifted) draw();
}

/** A drag ends with a click, which would open the post. */
function swallowClick(): void {
  const swallow = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", swallow, { capture: true }), 50);
}

function onUp(event: PointerEvent): void {
  if (drag?.pointer !== event.pointerId) return;
  const { entry, isLifted, target } = drag;
  const day = target?.dataset.day;
  const [from = "", time = ""] = (entry.dataset.wall ?? "").split("T");
  end();
  if (!isLifted) return;
  swallowClick();
  if (day && day !== from) void move(entry, day, time);
}

export function listenForDrags(): void {
  calendar.addEventListener("pointerdown", onDown);
  addEventListener("pointermove", onMove);
  addEventListener("pointerup", onUp);
  addEventListener("pointercancel", end);
  // A native drag of the link would end the pointer's events.
  calendar.addEventListener("dragstart", (event) => event.preventDefault());
  calendar.addEventListener("contextmenu", (event) => {
    if (drag?.isTouch) event.preventDefault();
  });
  // The window must not scroll under a lifted entry.
  addEventListener(
    "touchmove",
    (event) => {
      if (drag?.isLifted && event.cancelable) event.preventDefault();
    },
    { passive: false },
  );
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !drag) return;
    if (drag.isLifted) swallowClick();
    end();
  });
}
