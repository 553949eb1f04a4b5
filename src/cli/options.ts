const OPTIONS: Readonly<Record<string, string>> = {
  accountId: "--account",
  accounts: "--account",
  schedule_date: "--at",
  file: "--media",
  photo: "--media",
  video: "--media",
  teamId: "--team",
};

const NAMESAKES = new Set([
  "description",
  "limit",
  "name",
  "platform",
  "scopes",
  "search",
  "status",
  "tags",
  "title",
]);

const optionOf = (field: string): string =>
  OPTIONS[field] ?? (NAMESAKES.has(field) ? `--${field}` : `--set ${field}`);

/** Replaces API field names in a refusal with the command's options. */
export const inOptions = (message: string): string =>
  message
    .replace(/^(\w+)(?:\.\d+)?: /, (_, field: string) => `${optionOf(field)} `)
    .replace(/\bschedule_date\b/g, "--at")
    .replace(/\bUpload(?= not found| \d)/g, "Post");
