const START_PIXELS = 6;

export function listenForDrags(
  list: HTMLElement,
  rules: () => HTMLElement[],
  move: (rule: HTMLElement, to: number) => void,
): void {
  list.addEventListener("pointerdown", (event) => {
    const handle = (event.target as Element).closest<HTMLElement>(".handle");
    const rule = handle?.closest<HTMLElement>("[data-rule]");
    if (!handle || !rule || event.button !== 0) return;
    event.preventDefault();
    follow(handle, event, rule, rules, move);
  });
}

function follow(
  handle: HTMLElement,
  { pointerId, clientX, clientY }: PointerEvent,
  rule: HTMLElement,
  rules: () => HTMLElement[],
  move: (rule: HTMLElement, to: number) => void,
): void {
  let target: HTMLElement | null = null;
  let isDragging = false;
  const onMove = (event: PointerEvent) => {
    isDragging ||= Math.hypot(event.clientX - clientX, event.clientY - clientY) > START_PIXELS;
    if (!isDragging) return;
    rule.classList.add("dragged");
    const under = rules().find((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return top <= event.clientY && event.clientY <= bottom;
    });
    target?.classList.remove("target");
    target = under && under !== rule ? under : null;
    target?.classList.add("target");
  };
  const onEnd = (event: Event) => {
    handle.removeEventListener("pointermove", onMove);
    rule.classList.remove("dragged");
    target?.classList.remove("target");
    if (event.type === "pointerup" && target) move(rule, rules().indexOf(target));
    removeEventListener("keydown", onKey);
  };
  const onKey = ({ key }: KeyboardEvent) => {
    if (key === "Escape") onEnd(new Event("pointercancel"));
  };
  handle.setPointerCapture(pointerId);
  handle.addEventListener("pointermove", onMove);
  addEventListener("keydown", onKey);
  for (const name of ["pointerup", "pointercancel"]) {
    handle.addEventListener(name, onEnd, { once: true });
  }
}
