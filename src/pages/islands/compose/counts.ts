import { formatCount } from "../../../core/counts.ts";
import { countUtf8Bytes } from "../../../core/text.ts";
import { afterPause } from "../upload/waits.ts";
import { Counts, counterOf } from "./counters.ts";
import { facts, type PlatformFacts } from "./facts.ts";
import { all, byId, type ChosenAccount, chosenAccounts, composeForm, make } from "./page.ts";

interface Subject {
  platform: string;
  /** The control under which the count stands. */
  control: HTMLTextAreaElement | HTMLInputElement;
  text: string;
  max: number;
  /** Besides the platform's name: titles have a limit of their own. */
  what: string;
  maxBytes: number | undefined;
}

type TextControl = HTMLTextAreaElement;

const counts = new Counts();

const isBlank = (text: string): boolean => text.trim() === "";

function written(
  { id, platform }: ChosenAccount,
  field: "title" | "description",
): TextControl | null {
  const own = field === "title" ? "title" : "caption";
  const controls = [`overrides-${id}-${own}`, `overrides-${platform}-${own}`, field].map((one) =>
    byId<TextControl>(one),
  );
  return controls.find((one) => one && !isBlank(one.value)) ?? byId<TextControl>(field);
}

const hasVideo = (): boolean => all("li.file[data-kind=video]").length > 0;
const hasFiles = (): boolean => all("li.file").length > 0;

function maxOf({ platform, characters: ofAccount }: ChosenAccount): number | null {
  const {
    characters = null,
    photoCharacters = null,
    longText,
    hasCaptions,
  } = facts[platform] ?? {};
  const isLong =
    longText && all<HTMLSelectElement>(`[name=${longText.setting}]`)[0]?.value === "true";
  if (isLong) return longText.characters;
  if (ofAccount !== undefined) return ofAccount;
  const isCaption = hasCaptions ? hasFiles() : !hasVideo();
  return isCaption ? (photoCharacters ?? characters) : characters;
}

function subjectsOf(
  account: ChosenAccount,
  { titleCharacters, textBytes }: PlatformFacts,
): Subject[] {
  const { platform } = account;
  const [title, control] = [written(account, "title"), written(account, "description")];
  const subjects: Subject[] = [];
  const max = maxOf(account);
  if (control && max !== null) {
    // A video on TikTok has one text.
    const isJoined = platform === "tiktok" && hasVideo() && title && !isBlank(title.value);
    const text = isJoined ? `${title.value}\n${control.value}` : control.value;
    subjects.push({ platform, control, text, max, what: "", maxBytes: textBytes });
  }
  if (titleCharacters !== null && title && !isBlank(title.value)) {
    const text = title.value;
    const what = " title";
    subjects.push({
      platform,
      control: title,
      text,
      max: titleCharacters,
      what,
      maxBytes: undefined,
    });
  }
  return subjects;
}

function partSubjects(account: ChosenAccount, { hasThreads, textBytes }: PlatformFacts): Subject[] {
  const { platform } = account;
  const max = maxOf(account);
  if (max === null || !hasThreads) return [];
  return all<TextControl>("#parts textarea").map((control) => ({
    platform,
    control,
    text: control.value,
    max,
    what: "",
    maxBytes: textBytes,
  }));
}

interface Line {
  words: string;
  isOver: boolean;
}

function lineOf({ platform, control, text, max, what, maxBytes }: Subject): Line {
  const name = `${facts[platform]?.name}${what}`;
  const count = what ? (one: string) => one.length : counterOf(platform, updateCounts);
  const length = count && counts.of(control.id + what, platform, count, text);
  if (count && length === null) goOnSoon();
  if (length === null) return { words: `${name} …`, isOver: false };
  const bytes = maxBytes !== undefined && length * 3 > maxBytes ? countUtf8Bytes(text) : 0;
  const over = Math.max(length - max, 0);
  if (over === 0 && maxBytes !== undefined && bytes > maxBytes) {
    return {
      words: `${name} ${formatCount(bytes)}/${formatCount(maxBytes)} bytes: too long`,
      isOver: true,
    };
  }
  const words = `${name} ${formatCount(length)}/${formatCount(max)}`;
  return over > 0
    ? { words: `${words}: ${formatCount(over)} too many`, isOver: true }
    : { words, isOver: false };
}

const goOnSoon = afterPause(0, updateCounts);

function placeOf(control: HTMLElement): HTMLElement {
  const id = `${control.id}-counts`;
  const place = byId(id) ?? make("p", { id, className: "counts" });
  if (!place.isConnected) control.after(place);
  return place;
}

let places = new Set<HTMLElement>();

export function updateCounts(): void {
  const lines = new Map<HTMLElement, Map<string, Line>>();
  const platforms = new Map<string, ChosenAccount[]>();
  for (const one of chosenAccounts()) {
    platforms.set(one.platform, [...(platforms.get(one.platform) ?? []), one]);
  }
  for (const [platform, accounts] of platforms) {
    const own = facts[platform];
    if (!own) continue;
    const subjects = [
      ...accounts.flatMap((one) => [...subjectsOf(one, own), ...partSubjects(one, own)]),
    ];
    for (const subject of subjects) {
      const place = placeOf(subject.control);
      const shown = lines.get(place) ?? new Map<string, Line>();
      lines.set(place, shown);
      shown.set(`${platform}${subject.what} ${subject.max}`, lineOf(subject));
    }
  }
  for (const place of places) if (!lines.has(place)) place.replaceChildren();
  for (const [place, own] of lines) show(place, [...own.values()]);
  places = new Set(lines.keys());
}

function show(place: HTMLElement, lines: readonly Line[]): void {
  const words = lines.map((one) => one.words).join("\u00a0 ");
  if (place.textContent === words) return;
  place.replaceChildren(
    ...lines.flatMap(({ words: text, isOver }, i) => [
      ...(i > 0 ? ["\u00a0 "] : []),
      make("span", { className: isOver ? "over" : "" }, text),
    ]),
  );
}

export function startCounts(): void {
  composeForm?.addEventListener("input", updateCounts);
  composeForm?.addEventListener("change", updateCounts);
  updateCounts();
}
