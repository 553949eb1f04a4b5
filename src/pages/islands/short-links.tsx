import { listenForDrags } from "./short-links/drag.ts";

const form = document.querySelector<HTMLFormElement>("#rules-form");
const list = form?.querySelector<HTMLElement>(".rules");

const rules = (): HTMLElement[] => [...(list?.querySelectorAll<HTMLElement>("[data-rule]") ?? [])];

const buttonOf = (rule: HTMLElement, action: string): HTMLButtonElement | null =>
  rule.querySelector<HTMLButtonElement>(`button[value^="${action}:"]`);

function say(text: string): void {
  const state = document.querySelector("#rules-state");
  if (state) state.textContent = text;
}

/** The server takes the rules in the order of the form, whatever the names of their fields. */
function renumber(): void {
  const all = rules();
  for (const [i, rule] of all.entries()) {
    for (const place of rule.querySelectorAll("[data-number]")) place.textContent = String(i + 1);
    const up = buttonOf(rule, "up");
    const down = buttonOf(rule, "down");
    if (up) up.disabled = i === 0;
    if (down) down.disabled = i === all.length - 1;
  }
}

function move(rule: HTMLElement, to: number): void {
  const all = rules();
  const from = all.indexOf(rule);
  const target = all[to];
  if (!target || from === to) return;
  target[to > from ? "after" : "before"](rule);
  renumber();
  say(`Rule ${from + 1} is now rule ${to + 1}. Changed, and not saved yet.`);
}

function onClick(event: MouseEvent): void {
  const button = (event.target as Element).closest<HTMLButtonElement>("button[name=do]");
  const rule = button?.closest<HTMLElement>("[data-rule]");
  if (!button || !rule) return;
  const [action] = button.value.split(":");
  const at = rules().indexOf(rule);
  event.preventDefault();
  if (action === "remove") {
    const next = rules()[at + 1] ?? rules()[at - 1];
    rule.remove();
    renumber();
    say(`Rule ${at + 1} is removed. Changed, and not saved yet.`);
    const place = (next && buttonOf(next, "remove")) ?? form?.querySelector(".adds button");
    (place as HTMLElement | null)?.focus();
    return;
  }
  move(rule, action === "up" ? at - 1 : at + 1);
  const other = buttonOf(rule, action === "up" ? "down" : "up");
  (button.disabled ? other : button)?.focus();
}

if (form && list) {
  list.addEventListener("click", onClick);
  form.addEventListener("input", () => say("Changed, and not saved yet."));
  for (const rule of rules()) {
    const handle = document.createElement("span");
    handle.className = "handle";
    handle.textContent = "⠿ Drag";
    handle.ariaHidden = "true";
    rule.querySelector(".tools")?.prepend(handle);
  }
  listenForDrags(list, rules, move);
}
