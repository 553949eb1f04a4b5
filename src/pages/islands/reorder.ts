const START_PIXELS = 6;

/** Dragging by the picture, with a mouse or a finger. The buttons beside it do the same. */
export function startReorder(
  list: HTMLElement,
  selector: string,
  move: (item: HTMLElement, to: number) => void,
): void {
  list.addEventListener("pointerdown", (event) => {
    const handle = (event.target as Element).closest<HTMLElement>("img, video, .thumb");
    const item = handle?.closest<HTMLElement>(selector);
    if (!handle || !item || event.button !== 0) return;
    event.preventDefault();
    drag(list, selector, { item, handle, event, move });
  });
}

interface Drag {
  item: HTMLElement;
  handle: HTMLElement;
  event: PointerEvent;
  move(item: HTMLElement, to: number): void;
}

function drag(list: HTMLElement, selector: string, { item, handle, event, move }: Drag): void {
  const { pointerId, clientX: startX, clientY: startY } = event;
  let target: HTMLElement | null = null;
  let isDragging = false;
  const clear = () => {
    for (const one of list.querySelectorAll(".target")) one.classList.remove("target");
  };
  const onMove = ({ clientX, clientY }: PointerEvent) => {
    isDragging ||= Math.hypot(clientX - startX, clientY - startY) > START_PIXELS;
    if (!isDragging) return;
    item.classList.add("dragged");
    const under =
      document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>(selector) ?? null;
    const next = under && under !== item && list.contains(under) ? under : null;
    if (next === target) return;
    clear();
    target = next;
    target?.classList.add("target");
  };
  const onEnd = (end: Event) => {
    handle.removeEventListener("pointermove", onMove);
    item.classList.remove("dragged");
    clear();
    if (end.type === "pointerup" && target) {
      move(item, [...list.querySelectorAll(selector)].indexOf(target));
    }
  };
  handle.setPointerCapture(pointerId);
  handle.addEventListener("pointermove", onMove);
  for (const name of ["pointerup", "pointercancel"]) {
    handle.addEventListener(name, onEnd, { once: true });
  }
}
