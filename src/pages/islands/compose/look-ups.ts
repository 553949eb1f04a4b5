import { CallRefused, call } from "../call.ts";
import { all, chosenAccounts, make } from "./page.ts";

/** What GET /tiktok/creator says of an account, as TikTok requires it on the screen. */
interface Creator {
  username: string;
  nickname: string;
  avatarUrl: string | null;
  privacyLevels: string[];
  commentDisabled: boolean;
  duetDisabled: boolean;
  stitchDisabled: boolean;
  maxVideoSeconds: number;
}

const PRIVACY: Record<string, string> = {
  PUBLIC_TO_EVERYONE: "Everyone",
  MUTUAL_FOLLOW_FRIENDS: "Friends",
  FOLLOWER_OF_CREATOR: "Followers",
  SELF_ONLY: "Only me",
};

const creators = new Map<string, Creator>();
const asked = new Set<string>();

const fieldsetOf = (id: string): HTMLFieldSetElement | undefined =>
  all<HTMLFieldSetElement>("fieldset[data-tiktok]").find(({ dataset }) => dataset.tiktok === id);

/** The first option asks to choose, for TikTok allows no default. */
function setOptions(
  select: HTMLSelectElement,
  options: readonly { value: string; name: string }[],
  value = select.value,
): void {
  select.replaceChildren(
    make("option", { value: "", textContent: "Choose one" }),
    ...options.map(({ value: own, name }) => make("option", { value: own, textContent: name })),
  );
  select.value = value;
  if (select.selectedIndex === -1) select.value = "";
}

function showCreator(fieldset: HTMLFieldSetElement, creator: Creator): void {
  const name = make("strong", { textContent: creator.nickname });
  const words = [name, ` @${creator.username}`];
  const place = fieldset.querySelector("[data-creator]");
  place?.replaceChildren(...words);
  if (creator.avatarUrl) {
    const avatar = make("img", { src: creator.avatarUrl, alt: "", className: "face" });
    // The page's policy refuses a picture at an unknown host.
    avatar.addEventListener("error", () => avatar.remove());
    place?.prepend(avatar, " ");
  }
  const select = fieldset.querySelector<HTMLSelectElement>("select[name$='.privacy_level']");
  if (select)
    setOptions(
      select,
      creator.privacyLevels.map((value) => ({ value, name: PRIVACY[value] ?? value })),
    );
  const switches = {
    comment: creator.commentDisabled,
    duet: creator.duetDisabled,
    stitch: creator.stitchDisabled,
  };
  for (const [what, isOff] of Object.entries(switches)) {
    const box = fieldset.querySelector<HTMLInputElement>(`[name$='.allow_${what}']`);
    if (!box) continue;
    box.disabled = isOff;
    if (isOff) box.checked = false;
  }
}

function showTrouble(place: Element | null | undefined, error: unknown): void {
  const words = error instanceof CallRefused ? error.message : String(error);
  place?.replaceChildren(make("span", { role: "status", textContent: words }));
}

async function loadCreator(id: string): Promise<void> {
  const fieldset = fieldsetOf(id);
  if (!fieldset) return;
  try {
    const query = new URLSearchParams({ accountId: id });
    const { data } = await call<{ data: Creator }>("GET", `/tiktok/creator?${query}`);
    creators.set(id, data);
    showCreator(fieldset, data);
    checkLength();
  } catch (error) {
    asked.delete(id);
    showTrouble(fieldset.querySelector("[data-creator]"), error);
  }
}

interface Board {
  id: string;
  name: string;
}

/** Without script, the board is written as its id. */
function selectInPlaceOf(control: HTMLInputElement | HTMLSelectElement): HTMLSelectElement {
  const select = make("select");
  for (const { name, value } of control.attributes) select.setAttribute(name, value);
  control.replaceWith(select);
  return select;
}

async function loadBoards(
  control: HTMLInputElement | HTMLSelectElement,
  id: string,
): Promise<void> {
  try {
    const query = new URLSearchParams({ accountId: id });
    const { data } = await call<{ data: Board[] }>("GET", `/pinterest/boards?${query}`);
    const { value } = control;
    setOptions(
      selectInPlaceOf(control),
      data.map((board) => ({ value: board.id, name: board.name })),
      value,
    );
  } catch (error) {
    asked.delete(id);
    showTrouble(control.parentElement?.querySelector(".error"), error);
  }
}

export function checkLength(): void {
  const seconds = Math.max(
    0,
    ...all("li.file[data-seconds]").map(({ dataset }) => Number(dataset.seconds)),
  );
  for (const { id, name } of chosenAccounts()) {
    const creator = creators.get(id);
    const fieldset = fieldsetOf(id);
    if (!creator || !fieldset) continue;
    const isLong = seconds > creator.maxVideoSeconds;
    const place =
      fieldset.querySelector(".too-long") ??
      make("p", { className: "error too-long", role: "status" });
    const words = isLong
      ? `The video has ${Math.ceil(seconds)} seconds; TikTok takes ${creator.maxVideoSeconds} from ${name}. Choose a shorter one.`
      : "";
    if (place.textContent !== words) place.textContent = words;
    if (isLong && !place.isConnected) fieldset.prepend(place);
  }
}

export function lookUpChosen(): void {
  for (const { id, platform } of chosenAccounts()) {
    if (asked.has(id)) continue;
    asked.add(id);
    if (platform === "tiktok") loadCreator(id);
    if (platform === "pinterest") {
      const control = all<HTMLSelectElement>("[data-boards]").find(
        ({ dataset }) => dataset.boards === id,
      );
      if (control) loadBoards(control, id);
    }
  }
  checkLength();
}

const isOpen = (question: HTMLElement): boolean =>
  question instanceof HTMLFieldSetElement
    ? !question.querySelector(":checked")
    : (question as HTMLSelectElement).value === "";

let before = new Set<string>();

export function showSettings(): void {
  const chosen = new Set(chosenAccounts().flatMap(({ id, platform }) => [id, platform]));
  for (const details of all<HTMLDetailsElement>("details.platform")) {
    details.hidden = !chosen.has(details.dataset.platform ?? "");
    const isAsked = all("[data-asked]", details).some((question) => {
      const { asked = "" } = question.dataset;
      return chosen.has(asked) && !before.has(asked) && isOpen(question);
    });
    if (isAsked) details.open = true;
  }
  before = chosen;
  const isPool = all("[name=when][value=pool]:checked").length > 0;
  for (const place of all("[data-pool]"))
    place.hidden = isPool === (place.dataset.pool === "never");
  for (const fieldset of all("[data-tiktok]")) {
    fieldset.hidden = !chosen.has(fieldset.dataset.tiktok ?? "");
  }
  for (const details of all("[data-for]")) {
    details.hidden = !chosen.has(details.dataset.for ?? "");
  }
}
