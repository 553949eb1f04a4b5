/** Names in rows and in the API: the spec's, in its order, then ours. Source: spec, "What the service does". */
export const PLATFORMS = [
  "tiktok",
  "instagram",
  "facebook",
  "youtube",
  "linkedin",
  "pinterest",
  "bluesky",
  "threads",
  "x",
  "mastodon",
  "telegram",
  "discord",
  "google_business",
] as const;

export type Platform = (typeof PLATFORMS)[number];

const NAMES: ReadonlySet<string> = new Set(PLATFORMS);

export const isPlatform = (name: string): name is Platform => NAMES.has(name);

/** Further apps at a platform, which have keys of their own. */
export const OTHER_APPS = { linkedin_pages: "linkedin" } as const satisfies Record<
  string,
  Platform
>;

export type OtherApp = keyof typeof OTHER_APPS;

export const OTHER_APP_NAMES = Object.keys(OTHER_APPS) as OtherApp[];

/** The platform's first app has the platform's name. */
export type AppName = Platform | OtherApp;

/** Null for a platform's first app. */
export const otherAppOf = (app: AppName): OtherApp | null =>
  OTHER_APP_NAMES.find((one) => one === app) ?? null;

export const APP_NAMES: readonly AppName[] = [...PLATFORMS, ...OTHER_APP_NAMES];

export const isAppName = (name: string): name is AppName => APP_NAMES.some((one) => one === name);
