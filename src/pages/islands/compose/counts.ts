import { formatCount } from "../../../core/counts.ts";
import { MAX_PREMIUM_TEXT } from "../../../platforms/x/capabilities.ts";
import {
  type Capabilities,
  capabilities,
  hasOwnTitle,
  type KnownPlatforms,
} from "./capabilities.ts";
import { Counts, countBytes, counterOf, MAX_BYTES } from "./counters.ts";
import {
  all,
  byId,
  type ChosenAccount,
  chosenAccounts,
  composeForm,
  make,
  nameOf,
} from "./page.ts";
import { afterPause } from "./waits.ts";

/** A text of the form as one platform gets it. */
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

/** The account's own text, else its platform's, else the one for all. */
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

function maxOf({ platform, limits }: Capabilities): number | null {
  const premium = all<HTMLSelectElement>("[name=x_premium]")[0]?.value === "true";
  if (platform === "x" && premium) return MAX_PREMIUM_TEXT;
  const isOfPhotos = platform === "tiktok" && !hasVideo();
  return isOfPhotos ? limits.photoPostCharacters : limits.postCharacters;
}

function subjectsOf(account: ChosenAccount, facts: Capabilities): Subject[] {
  const { platform } = account;
  const [title, control] = [written(account, "title"), written(account, "description")];
  const subjects: Subject[] = [];
  const max = maxOf(facts);
  if (control && max !== null) {
    // A video on TikTok has one text.
    const isJoined = platform === "tiktok" && hasVideo() && title && !isBlank(title.value);
    const text = isJoined ? `${title.value}\n${control.value}` : control.value;
    subjects.push({ platform, control, text, max, what: "", maxBytes: MAX_BYTES[platform] });
  }
  const { titleCharacters } = facts.limits;
  if (hasOwnTitle(facts) && titleCharacters !== null && title && !isBlank(title.value)) {
    const text = title.value;
    subjects.push({
      platform,
      control: title,
      text,
      max: titleCharacters,
      what: " title",
      maxBytes: undefined,
    });
  }
  return subjects;
}

function partSubjects(known: Capabilities): Subject[] {
  const max = maxOf(known);
  if (max === null || !known.followUps.includes("post")) return [];
  return all<TextControl>("#parts textarea").map((control) => ({
    platform: known.platform,
    control,
    text: control.value,
    max,
    what: "",
    maxBytes: MAX_BYTES[known.platform],
  }));
}

interface Line {
  words: string;
  isOver: boolean;
}

function lineOf({ platform, control, text, max, what, maxBytes }: Subject): Line {
  const name = `${nameOf(platform)}${what}`;
  const count = what ? (one: string) => one.length : counterOf(platform, updateCounts);
  const length = count && counts.of(control.id + what, platform, count, text);
  if (count && length === null) goOnSoon();
  if (length === null) return { words: `${name} …`, isOver: false };
  const bytes = maxBytes !== undefined && length * 3 > maxBytes ? countBytes(text) : 0;
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

let known: KnownPlatforms = new Map();
let places = new Set<HTMLElement>();

/** Writes how long each text is for each chosen platform, under the control that it is written in. */
export function updateCounts(): void {
  const lines = new Map<HTMLElement, Map<string, Line>>();
  const platforms = new Map<string, ChosenAccount[]>();
  for (const one of chosenAccounts()) {
    platforms.set(one.platform, [...(platforms.get(one.platform) ?? []), one]);
  }
  for (const [platform, accounts] of platforms) {
    const facts = known.get(platform);
    if (!facts) continue;
    const subjects = [...accounts.flatMap((one) => subjectsOf(one, facts)), ...partSubjects(facts)];
    for (const subject of subjects) {
      const place = placeOf(subject.control);
      const own = lines.get(place) ?? new Map<string, Line>();
      lines.set(place, own);
      own.set(platform + subject.what, lineOf(subject));
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

export async function startCounts(): Promise<void> {
  composeForm?.addEventListener("input", updateCounts);
  composeForm?.addEventListener("change", updateCounts);
  known = await capabilities();
  updateCounts();
}
