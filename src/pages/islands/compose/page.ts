import { make } from "../make.ts";

export { make };

const find = <E extends Element = HTMLElement>(selector: string): E | null =>
  document.querySelector<E>(selector);

export const composeForm = find<HTMLFormElement>("form#compose");

export const all = <E extends Element = HTMLElement>(
  selector: string,
  inside: ParentNode | null = composeForm,
): E[] => [...(inside?.querySelectorAll<E>(selector) ?? [])];

export const byId = <E extends HTMLElement = HTMLElement>(id: string): E | null =>
  document.getElementById(id) as E | null;

/** Headings have the ids of the page's sections. */
export const sectionOf = (id: string): HTMLElement | null => byId(id)?.closest("section") ?? null;

export interface ChosenAccount {
  id: string;
  platform: string;
  name: string;
  /** Absent where the platform's limit is that of every account. */
  characters?: number;
}

export const chosenAccounts = (): ChosenAccount[] =>
  all<HTMLInputElement>("[name=accountId]:checked").map(({ value, dataset }) => ({
    id: value,
    platform: dataset.platform ?? "",
    name: dataset.accountName ?? "",
    ...(dataset.characters ? { characters: Number(dataset.characters) } : {}),
  }));

export const makeButton = (
  text: string,
  onClick: () => void,
  label?: string,
): HTMLButtonElement => {
  const button = make("button", { type: "button", className: "quiet", textContent: text });
  if (label) button.ariaLabel = label;
  button.addEventListener("click", onClick);
  return button;
};

/** An empty message takes the refusals away. */
export function showErrors(id: string, message: string): void {
  const place = byId(`${id}-error`);
  if (!place || place.textContent === message) return;
  place.textContent = message;
  place.hidden = message === "";
  const control = byId(id);
  if (message) control?.setAttribute("aria-invalid", "true");
  else control?.removeAttribute("aria-invalid");
}

export function say(message: string): void {
  const place = byId("saved");
  if (place && place.textContent !== message) place.textContent = message;
}

export function setCover(mediaId: string): void {
  for (const field of all<HTMLInputElement>("[name=thumbnailMediaId]")) field.value = mediaId;
  say("The cover is chosen.");
}
