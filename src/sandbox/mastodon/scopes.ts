const READ = [
  "accounts",
  "blocks",
  "bookmarks",
  "favourites",
  "filters",
  "follows",
  "lists",
  "mutes",
  "notifications",
  "search",
  "statuses",
];

const WRITE = [
  "accounts",
  "blocks",
  "bookmarks",
  "conversations",
  "favourites",
  "filters",
  "follows",
  "lists",
  "media",
  "mutes",
  "notifications",
  "reports",
  "statuses",
];

/** Source: Mastodon, "OAuth Scopes". */
export const SCOPES = [
  "profile",
  "read",
  ...READ.map((what) => `read:${what}`),
  "write",
  ...WRITE.map((what) => `write:${what}`),
  "follow",
  "push",
];
