import { isPlatform, type Platform } from "./platforms.ts";

/** The address of the instance in the examples of guides. Each instance inserts its own. */
export const EXAMPLE_ORIGIN = "http://localhost:8797";

export interface GuideEntry {
  /** Address of the guide below `/docs/`, such as `webhooks` or `platforms/x`. */
  name: string;
  title: string;
  /** One sentence, without markup. */
  description: string;
}

export interface GuideGroup {
  title: string;
  guides: GuideEntry[];
}

export interface GuidePage {
  title: string;
  /** Everything below the title, with the example address and example accounts. */
  html: string;
  /** The second-level headings. */
  sections: { id: string; title: string }[];
}

/** The guide that lists all guides; it is no entry of that list. */
export const GUIDE_LIST = "guides";

/** Paths of the built files in the Worker's assets. */
export const GUIDE_GROUPS_PATH = "/docs/guides.json";
export const guidePagePath = (name: string): string => `/docs/pages/${name}.json`;
export const guideTextPath = (name: string): string => `/docs/text/${name}.md`;

/** An account id in an example names its platform: `acc_bluesky`. */
const EXAMPLE_ACCOUNT = /\bacc_([a-z]+(?:_[a-z]+)*)\b/g;

/** Returns the platforms that have an example account in the text. */
export const examplePlatforms = (text: string): Platform[] => [
  ...new Set([...text.matchAll(EXAMPLE_ACCOUNT)].map(([, name = ""]) => name).filter(isPlatform)),
];

/** Replaces the example address, and example account ids by platform, with the instance's own. */
export const fillExamples = (
  text: string,
  origin: string,
  accounts: ReadonlyMap<string, string> = new Map(),
): string =>
  text
    .replaceAll(EXAMPLE_ORIGIN, origin)
    .replaceAll(EXAMPLE_ACCOUNT, (example, platform: string) => accounts.get(platform) ?? example);
