import { listenForDrags } from "./calendar/drag.ts";
import { listenForKeys } from "./calendar/keys.ts";
import { calendar, move } from "./calendar/move.ts";

function showOwnZone(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const place = document.querySelector("[data-own-zone]");
  if (!place || timeZone === calendar.dataset.zone) return;
  place.textContent = ` Your own zone is ${timeZone}.`;
}

async function onSubmit(event: SubmitEvent): Promise<void> {
  const form = event.target as HTMLFormElement;
  const entry = form.closest<HTMLElement>(".entry[data-id]");
  if (!entry || entry.classList.contains("busy")) return;
  event.preventDefault();
  const fields = new FormData(form);
  const [date, time] = [String(fields.get("date")), String(fields.get("time")).slice(0, 5)];
  if (!(await move(entry, date, time))) {
    const sent = [date, time];
    for (const [i, input] of form.querySelectorAll("input").entries()) {
      input.value = sent[i] ?? "";
      input.setAttribute("aria-invalid", "true");
    }
    return;
  }
  const details = form.closest("details");
  if (details) details.open = false;
  entry.querySelector<HTMLElement>(".open")?.focus();
}

if (calendar) {
  showOwnZone();
  listenForKeys();
  listenForDrags();
  calendar.addEventListener("submit", (event) => void onSubmit(event as SubmitEvent));
}
