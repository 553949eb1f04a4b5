export const byId = <E extends HTMLElement = HTMLElement>(id: string): E | null =>
  document.getElementById(id) as E | null;

export const queue = (): HTMLElement | null => byId("queue");

export function say(message: string): void {
  const place = byId("told");
  if (place) place.textContent = message;
}

/** What changes with the queue. The forms for adding stay as they are. */
const CHANGING = ["facts", "queue", "coming"];

const partOf = (id: string, page: Document = document): Element | null => {
  const element = page.getElementById(id);
  return id === "facts" || id === "queue" ? element : (element?.closest("section") ?? null);
};

export async function refresh(): Promise<void> {
  const answer = await fetch(location.pathname + location.search).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const focused = document.activeElement?.id;
  for (const id of CHANGING) {
    const [old, fresh] = [partOf(id), partOf(id, page)];
    if (old && fresh) old.replaceWith(fresh);
  }
  const [title, freshTitle] = [byId("queue-title"), page.getElementById("queue-title")];
  if (title && freshTitle) title.textContent = freshTitle.textContent;
  if (focused) byId(focused)?.focus();
}
