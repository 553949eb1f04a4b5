import { formatCount } from "../../../core/counts.ts";
import { type Capabilities, capabilities } from "./capabilities.ts";
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

/** The account's own text, else its platform's, else the one for all; null where none is written. */
function written(
  { id, platform }: ChosenAccount,
  field: "title" | "description",
): TextControl | null {
  const own = field === "title" ? "title" : "caption";
  const controls = [`overrides-${id}-${own}`, `overrides-${platform}-${own}`, field];
  return (
    controls.map((one) => byId<TextControl>(one)).find((one) => one && !isBlank(one.value)) ?? null
  );
}

const hasVideo = (): boolean => all("[data-kind=video]").length > 0;

/** Spec: the text of these is the title. */
const TITLED = new Set(["tiktok", "instagram", "threads", "x"]);

/** With X Premium. Source: platforms/x/capabilities. */
function maxOf({ platform, limits }: Capabilities): number | null {
  const premium = all<HTMLSelectElement>("[name=x_premium]")[0]?.value === "true";
  if (platform === "x" && premium) return 25_000;
  return limits.postCharacters;
}

function subjectsOf(account: ChosenAccount, known: Capabilities): Subject[] {
  const { platform } = account;
  const [title, description] = [written(account, "title"), written(account, "description")];
  const main = TITLED.has(platform) ? (title ?? description) : description;
  const fallback = byId<TextControl>(TITLED.has(platform) ? "title" : "description");
  const control = main ?? (platform === "bluesky" ? title : null) ?? fallback;
  const subjects: Subject[] = [];
  const max = maxOf(known);
  if (control && max !== null) {
    const isJoined = platform === "tiktok" && hasVideo() && title && description;
    const text = isJoined ? `${title.value}\n${description.value}` : control.value;
    const limit =
      platform === "tiktok" && !hasVideo() ? (known.limits.photoPostCharacters ?? max) : max;
    subjects.push({ platform, control, text, max: limit, what: "", maxBytes: MAX_BYTES[platform] });
  }
  const { titleCharacters } = known.limits;
  if (!TITLED.has(platform) && titleCharacters !== null && title) {
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
  if (!count) return { words: `${name} …`, isOver: false };
  const length = counts.of(control.id + what, platform, count, text);
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

function placeOf(control: HTMLElement): HTMLElement {
  const id = `${control.id}-counts`;
  const place = byId(id) ?? make("p", { id, className: "counts" });
  if (!place.isConnected) control.after(place);
  return place;
}

let known: ReadonlyMap<string, Capabilities> = new Map();
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
