/** Options of the commands whose field has another name in the API. */
const OPTIONS: Readonly<Record<string, string>> = {
  ...{ accountId: "--account", accounts: "--account", schedule_date: "--at" },
  ...{ file: "--media", photo: "--media", video: "--media", teamId: "--team" },
};

/** Options that have the name of their field. */
const NAMESAKES = new Set([
  ...["description", "limit", "name", "platform", "scopes", "search", "status", "tags", "title"],
]);

const optionOf = (field: string): string =>
  OPTIONS[field] ?? (NAMESAKES.has(field) ? `--${field}` : `--set ${field}`);

/** Says a refusal, written for callers of the REST API, in the options of the commands. */
export const inOptions = (message: string): string =>
  message
    .replace(/^(\w+)(?:\.\d+)?: /, (_, field: string) => `${optionOf(field)} `)
    .replace(/\bschedule_date\b/g, "--at")
    .replace(/\bUpload(?= not found| \d)/g, "Post");
