import { countCodePoints, countGraphemes } from "../../../core/text.ts";
import { countCharacters } from "../../../platforms/threads/text.ts";
import { facts } from "./facts.ts";
import { PartCounter } from "./parts.ts";

type Count = (text: string) => number;

const utf16: Count = (text) => text.length;

const UNITS: Record<string, Count> = {
  graphemes: countGraphemes,
  "code points": countCodePoints,
};

const EARLY: Record<string, Count> = { threads: countCharacters };

const LATE: Record<string, () => Promise<Count>> = {
  x: async () => (await import("../../../platforms/x/weighted-length.ts")).weightedLength,
  mastodon: async () => {
    const { countCharacters: count } = await import("../../../platforms/mastodon/text.ts");
    return (text) => count(text, MASTODON_LINK);
  },
  linkedin: async () => (await import("./linkedin-length.ts")).linkedInLength,
};

/** Source: Mastodon, "Posting". */
const MASTODON_LINK = 23;

/** LinkedIn's marks and mentions may reach over several parts. */
const WHOLE = new Set(["linkedin"]);

const loading = new Map<string, Promise<void>>();

/** Null until the platform's way of counting is loaded, which `onLoad` tells. */
export function counterOf(platform: string, onLoad: () => void): Count | null {
  const early = EARLY[platform];
  const late = LATE[platform];
  if (early || !late) return early ?? UNITS[facts[platform]?.countedBy ?? ""] ?? utf16;
  if (!loading.has(platform)) {
    const load = late().then((count) => {
      EARLY[platform] = count;
      onLoad();
    });
    loading.set(
      platform,
      load.catch(() => {
        loading.delete(platform);
      }),
    );
  }
  return null;
}

export class Counts {
  private readonly counters = new Map<string, PartCounter>();
  private readonly last = new Map<string, [text: string, count: number]>();

  of(key: string, platform: string, count: Count, text: string): number | null {
    const id = `${platform} ${key}`;
    const [lastText, lastCount] = this.last.get(id) ?? [];
    if (lastText === text && lastCount !== undefined) return lastCount;
    const isWhole = count === utf16 || WHOLE.has(platform);
    const length = isWhole ? count(text) : this.counterOf(id, count).update(text);
    if (length !== null) this.last.set(id, [text, length]);
    return length;
  }

  private counterOf(id: string, count: Count): PartCounter {
    const counter = this.counters.get(id) ?? new PartCounter(count);
    this.counters.set(id, counter);
    return counter;
  }
}
