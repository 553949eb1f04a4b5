/**
 * Databases that earlier states of this project made. `make-state.ts` writes the two files of each; their names are those
 * of the states.
 */
export interface State {
  name: string;
  commit: string;
  day: string;
  news: string;
}

/** Oldest first. A release adds itself at the end. */
export const STATES: readonly State[] = [
  {
    name: "first",
    commit: "6e1cf727",
    day: "2026-11-20",
    news: "the first landed state: posts to Bluesky, TikTok and Instagram, tokens, one migration",
  },
  {
    name: "people",
    commit: "dacfb751",
    day: "2026-11-22",
    news: "nine platforms, retries, drafts, idempotency, credits, people, teams, invites, settings",
  },
  {
    name: "doors",
    commit: "e19909b8",
    day: "2026-11-23",
    news: "webhooks, approval, review links, notices, pools, short links, analytics, white-label links",
  },
  {
    name: "bounds",
    commit: "66bfe6da",
    day: "2026-11-26",
    news: "owners of slugs, daily domains, bounded clicks, held files, sessions without a library",
  },
  {
    name: "rehearsals",
    commit: "2418f07e",
    day: "2026-11-27",
    news: "setup steps, apps of logins, rehearsals",
  },
  {
    name: "dashboard",
    commit: "21ad3d7c",
    day: "2026-11-27",
    news: "threads, comments, drafts of the composer, library, calendar feeds, activity, reports",
  },
  {
    name: "oauth",
    commit: "6e06c694",
    day: "2026-11-28",
    news: "programs that sign in, clicks of bots, device codes",
  },
];

/** The word by which the sandbox refuses a post. */
export const REFUSED = "[sandbox:content_flagged]";

/** What a state's files hold beside its rows: the tests of upgrades compare it with the answers of today. */
export interface Facts {
  madeAt: string;
  /** A token with every scope. */
  token: string;
  origin: string;
  posts: { id: number; status: string; description: string }[];
  planned: { id: number; at: string; accountId: string };
  /** A planned post with a photo. */
  photo: { id: number; at: string; accountId: string };
  draft: number;
  failed: number;
  reader?: { token: string };
  member?: { email: string };
  openInvite?: { path: string };
  once?: { key: string; body: Record<string, string>; id: number };
  webhooks?: {
    receiver: number;
    secret: string;
    dead: number;
    deadUrl: string;
    deadSecret: string;
  };
  pool?: { id: string; itemId: number; nextAt: string };
  evergreen?: { itemId: number };
  shortLink?: { id: number; slug: string; destination: string; clicks: number };
  review?: { path: string; postId: number };
  connectionLink?: { path: string };
  thread?: { id: number; at: string };
  composerDraft?: { id: string };
  feed?: { path: string };
  report?: { path: string };
  domain?: { host: string };
  /** Rows of each table. */
  counts: Record<string, number>;
  /** Stored files, by their keys: base64. */
  files: Record<string, string>;
}
