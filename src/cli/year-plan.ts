import type { Platform } from "../core/platforms.ts";
import { addSeconds, DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";
import { createRandom, type Random } from "./random.ts";

type Kind = "text" | "photo" | "video";

/** A post that Akimbo publishes, unlike posts by hand in the platform's app. */
export interface PlannedPost {
  at: Date;
  kind: Kind;
  platforms: Platform[];
  title: string;
  text: string;
}

const TAKERS: Record<Kind, readonly Platform[]> = {
  text: [
    "bluesky",
    "discord",
    "facebook",
    "google_business",
    "linkedin",
    "mastodon",
    "telegram",
    "threads",
    "x",
  ],
  photo: [
    "bluesky",
    "discord",
    "facebook",
    "google_business",
    "instagram",
    "linkedin",
    "mastodon",
    "pinterest",
    "telegram",
    "threads",
    "x",
  ],
  video: ["facebook", "instagram", "linkedin", "pinterest", "tiktok", "x", "youtube"],
};
const EVERYWHERE = [...new Set(Object.values(TAKERS).flat())].sort();

const NAMES = ["Harbour Coffee", "Linden Bakery", "North Bikes", "Paper Garden", "Studio Alder"];
const SUBJECTS = [
  "the morning counter",
  "our new roof terrace",
  "a table by the window",
  "the workshop",
  "a small repair",
  "the first order of the day",
  "an old recipe",
  "a box from Porto",
  "the Saturday market",
  "a regular's favourite",
  "our delivery bike",
  "the winter menu",
  "a class for beginners",
  "the back room",
  "a very long queue",
  "the new colour",
];
const OPENINGS = [
  "Look at",
  "Today we are all about",
  "A closer look at",
  "Nobody asked, here is",
  "Meet",
  "Behind the scenes:",
  "You wanted to see",
  "Half a minute with",
  "Three thoughts on",
];
const CLOSINGS = [
  "Come by until six.",
  "What do you think?",
  "Tell a friend.",
  "Link in the profile.",
  "",
  "We are open all weekend.",
  "Only while it lasts.",
  "More of it next week.",
];
const HASHTAGS = [
  "local",
  "smallbusiness",
  "handmade",
  "behindthescenes",
  "weekend",
  "newin",
  "howto",
  "team",
  "throwback",
  "giveaway",
  "neighbourhood",
  "slowliving",
];
const BY_HAND = ["Just now:", "Quick one:", "From the phone:", "Seen today:", "Thank you for"];

const HOURS = [7, 8, 9, 9, 11, 12, 12, 13, 15, 17, 17, 18, 18, 19, 20];
/** Average number of posts per weekday, Sunday first. */
const PER_WEEKDAY = [0.25, 0.5, 0.6, 0.6, 0.6, 0.5, 0.3];
const REACH = 0.6;
const HAND_DAYS = 12;
/** A post by hand copies an earlier post, which the account lacks before this day. */
const FIRST_HAND_DAY = 10;

/**
 * The same seed and days give the same plan.
 *
 * @param from midnight, UTC
 */
export function planYear(seed: number, from: Date, days: number) {
  const random = createRandom(seed);
  const name = pick(random, NAMES);
  const posts: PlannedPost[] = [];
  const handPosts: { at: Date; platform: Platform; text: string }[] = [];
  const phrase = createPhrases(random);
  const plan = (day: Date, kind: Kind, platforms: Platform[]) => {
    const subject = phrase();
    const text = `${pick(random, OPENINGS)} ${subject}. ${pick(random, CLOSINGS)}`.trim();
    const tags = some(random, HASHTAGS, random.between(0, 3)).map((tag) => ` #${tag}`);
    posts.push({
      at: timeOf(day, random),
      kind,
      platforms,
      title: capitalized(subject.split(",")[0] ?? ""),
      text: text + tags.join(""),
    });
  };

  for (let index = 0; index < days; index++) {
    const day = addSeconds(from, (index * DAY) / SECOND);
    if (index === 0) {
      plan(day, "photo", [...TAKERS.photo]);
      plan(day, "video", ["tiktok", "youtube"]);
    } else if (random.chance(PER_WEEKDAY[day.getUTCDay()] ?? 0)) {
      const kind = pick(random, ["text", "photo", "photo", "video"] as const);
      plan(day, kind, chosen(TAKERS[kind], random));
    }
    for (const platform of index < FIRST_HAND_DAY ? [] : EVERYWHERE) {
      if (!random.chance(1 / HAND_DAYS)) continue;
      const text = `${pick(random, BY_HAND)} ${phrase()}`;
      handPosts.push({ at: timeOf(day, random), platform, text });
    }
  }
  const byTime = (a: { at: Date }, b: { at: Date }) => a.at.getTime() - b.at.getTime();
  return { name, posts: posts.sort(byTime), handPosts: handPosts.sort(byTime) };
}

function chosen(takers: readonly Platform[], random: Random): Platform[] {
  const reached = takers.filter(() => random.chance(REACH));
  return reached.length > 0 ? reached : [pick(random, takers)];
}

const timeOf = (day: Date, random: Random): Date =>
  new Date(day.getTime() + pick(random, HOURS) * HOUR + random.between(2, 57) * MINUTE);

function createPhrases(random: Random): () => string {
  let count = 0;
  let last = "";
  return () => {
    const subject = pick(
      random,
      SUBJECTS.filter((one) => one !== last),
    );
    last = subject;
    return `${subject}, no. ${++count}`;
  };
}

function pick<T>(random: Random, of: readonly T[]): T {
  const picked = of[random.between(0, of.length - 1)];
  if (picked === undefined) throw new RangeError("There is nothing to pick from.");
  return picked;
}

function some<T>(random: Random, of: readonly T[], count: number): T[] {
  const remaining = [...of];
  return Array.from({ length: Math.min(count, of.length) }, () =>
    remaining.splice(random.between(0, remaining.length - 1), 1),
  ).flat();
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
