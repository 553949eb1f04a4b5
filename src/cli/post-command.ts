import { randomUUID } from "node:crypto";
import { text as readText } from "node:stream/consumers";
import type { Command } from "commander";
import { PLATFORMS } from "../core/platforms.ts";
import type { Account, Api, BulkResult, Form, Upload } from "./api.ts";
import {
  addClientCommand,
  type ClientOptions,
  choices,
  collect,
  inWordsOf,
  onlyGiven,
  openApi,
  type Setting,
  show,
  toInstantText,
  withJson,
} from "./client-command.ts";
import {
  BATCH_FLAGS,
  placeText,
  readMedia,
  readSettings,
  requireKnownFields,
} from "./post-fields.ts";
import { Misuse, Problem } from "./program.ts";
import { retrying } from "./retry.ts";
import { formatTable } from "./table.ts";
import { formatUploads } from "./upload-table.ts";
import { waitForUploads } from "./watch-upload.ts";

interface PostOptions extends ClientOptions {
  title?: string;
  media?: string[];
  alt?: string[];
  at?: string;
  draft?: boolean;
  hold?: boolean;
  thread?: string[];
  threadMarks?: boolean;
  comment?: string;
  set?: string[];
  key?: string;
  wait: boolean;
}

interface OnePostOptions extends PostOptions {
  account: string;
}

interface BulkOptions extends PostOptions {
  account?: string[];
  platform?: string[];
  tags?: string;
  all?: boolean;
}

const OWN_FIELDS = [
  "accountId",
  "accounts",
  "overrides",
  "caption",
  "title",
  "description",
  "photo",
  "video",
  "file",
  "mediaId",
  "alt_text",
  "schedule_date",
  "status",
  "thread",
  "thread_marks",
  "first_comment",
];

const addPostCommand = (program: Command, name: string): Command =>
  withJson(addClientCommand(program, name))
    .argument("[text]", "the text; - reads it from standard input")
    .option("--title <text>", "a title beside the text, where the platform has one")
    .option(
      "--media <file, URL or mediaId>",
      "a photo, video or document, also one of GET /media by its mediaId; repeat it for a carousel",
      collect,
    )
    .option(
      "--alt <text>",
      "what a file shows, for people who cannot see it; one for all files, or repeated for each",
      collect,
    )
    .option(
      "--at <date>",
      "publishes later: ISO 8601 with an offset, as 2026-12-24T18:00:00+01:00",
      toInstantText,
    )
    .option("--draft", "keeps it as a draft")
    .option("--hold", "keeps it until somebody approves it")
    .option(
      "--thread <text>",
      "a further post of a thread; repeat it, or auto splits the text",
      collect,
    )
    .option("--thread-marks", "ends each post of the thread with its number, as 1/5")
    .option("--comment <text>", "the first comment under the post")
    .option("--set <name=value>", "any other field of POST /upload; repeat it for several", collect)
    .option("--key <key>", "names the call: the same key posts once in 24 hours")
    .option("--no-wait", "ends when the instance has it, not when it is out");

export function addPostsCommands(program: Command, setting: Setting): void {
  addPostCommand(program, "post")
    .description("publishes one post to one account, and waits until it is out")
    .requiredOption("--account <id>", "where it goes; the accounts command shows the ids")
    .addHelpText("after", inWordsOf(setting, POST_HELP))
    .action(async (text: string | undefined, options: OnePostOptions) => {
      const upload = await post(text, options, setting);
      show(options, upload, () => formatUploads([upload]));
      if (upload.status === "failed") setting.end(1);
    });

  addPostCommand(program, "bulk")
    .description("publishes one post to many accounts, each with a result of its own")
    .option("--account <id>", "one of them; repeat it", collect)
    .addOption(
      choices("--platform <name>", "all active accounts of a platform; repeat it", PLATFORMS),
    )
    .option("--tags <text>", "all active accounts whose tags have this text")
    .option("--all", "all active accounts")
    .addHelpText("after", inWordsOf(setting, BULK_HELP))
    .action(async (text: string | undefined, options: BulkOptions) => {
      const results = await postToMany(text, options, setting);
      show(options, results, () => formatResults(results));
      if (results.some(hasFailed)) setting.end(1);
    });
}

const POST_HELP = `
Examples:
  akimbo post "Hello" --account acc_1
  akimbo post "Two views" --account acc_1 --media front.jpg --alt "The door" --media back.jpg --alt "The garden"
  akimbo post - --account acc_2 --title "Our film" --media film.mp4 --set privacyStatus=private < text.txt

Files of up to 95 MB together go along; the upload command sends larger ones. A stored file is named by the mediaId
on its page, in place of sending it again.`;

const BULK_HELP = `
Examples:
  akimbo bulk "Hello" --account acc_1 --account acc_2
  akimbo bulk "New in our shop" --platform instagram --platform facebook --media shoes.jpg
  akimbo bulk "Closed tomorrow" --all --at 2026-12-24T18:00:00+01:00

The exit code is 1 when one of the accounts does not get the post; the others have it all the same.`;

async function readPostText(input: string | undefined): Promise<string> {
  return input === "-" ? (await readText(process.stdin)).trimEnd() : (input ?? "");
}

/** @throws Misuse for --draft with --hold */
function readStatus({ draft, hold }: PostOptions): "draft" | "pending_approval" | null {
  if (draft && hold) throw new Misuse("--draft and --hold exclude each other.");
  return draft ? "draft" : hold ? "pending_approval" : null;
}

const namesOf = ({ set = [] }: PostOptions): string[] => Object.keys(readSettings(set, OWN_FIELDS));

function followUpFields({ thread = [], threadMarks, comment }: PostOptions): Form {
  const isAuto = thread.length === 1 && thread[0] === "auto";
  return {
    ...(thread.length === 0 ? {} : { thread: isAuto ? "auto" : JSON.stringify(thread) }),
    ...(threadMarks ? { thread_marks: "true" } : {}),
    ...(comment === undefined ? {} : { first_comment: comment }),
  };
}

async function readFields(options: PostOptions): Promise<Form> {
  const { at, set = [], media = [], alt } = options;
  const status = readStatus(options);
  return {
    ...readSettings(set, OWN_FIELDS),
    ...(at === undefined ? {} : { schedule_date: at }),
    ...(alt === undefined ? {} : { alt_text: alt }),
    ...(status === null ? {} : { status }),
    ...followUpFields(options),
    ...(await readMedia(media)),
  };
}

async function post(input: string | undefined, options: OnePostOptions, setting: Setting) {
  const fields = await readFields(options);
  const api = await openApi(options, setting);
  const text = await readPostText(input);
  const { account, title, key = randomUUID(), wait } = options;
  const { platform } = await retrying(() => api.getAccount(account));
  await requireKnownFields(namesOf(options), async () => [await api.getCapabilities(platform)]);
  const form = { ...fields, accountId: account, ...placeText(platform, text, title) };
  const id = await retrying(() => api.createUpload(form, key, tellWarning));
  if (!wait) return await retrying(() => api.getUpload(id));
  const [upload] = await waitForUploads(api, [id], setting);
  if (!upload) throw new Problem(`Post ${id} is gone.`);
  return upload;
}

/** Standard output carries only the result. */
const tellWarning = (warning: string): void => console.error(`But: ${warning}`);

type Result = BulkResult & { upload?: Upload };

const hasFailed = ({ success, upload }: Result): boolean => !success || upload?.status === "failed";

async function postToMany(
  input: string | undefined,
  options: BulkOptions,
  setting: Setting,
): Promise<Result[]> {
  const fields = await readFields(options);
  requireAnyAccount(options);
  const api = await openApi(options, setting);
  const text = await readPostText(input);
  const names = namesOf(options).filter((name) => !BATCH_FLAGS.includes(name));
  await requireKnownFields(names, () => api.listCapabilities());
  const accounts = await chooseAccounts(api, options);
  const { title, key = randomUUID(), wait } = options;
  const form = { ...fields, accounts: JSON.stringify(accounts), ...shareText(text, title) };
  const results = await retrying(() => api.createUploads(form, key));
  for (const one of results) {
    for (const warning of one.success ? (one.warnings ?? []) : []) {
      tellWarning(`${one.accountId}: ${warning}`);
    }
  }
  if (!wait) return results;
  const ids = results.flatMap((one) => (one.success ? [one.uploadId] : []));
  const uploads = await waitForUploads(api, ids, setting);
  return results.map((result) => {
    const upload = result.success ? uploads.find(({ id }) => id === result.uploadId) : undefined;
    return upload ? { ...result, upload } : result;
  });
}

function shareText(text: string, title?: string): Form {
  if (title === undefined) return { caption: text };
  const overrides = Object.fromEntries(PLATFORMS.map((platform) => [platform, { caption: text }]));
  return { title, overrides: JSON.stringify(overrides) };
}

/** @throws Misuse without an account option */
function requireAnyAccount({ account = [], platform, tags, all }: BulkOptions): void {
  if (account.length > 0 || platform !== undefined || tags !== undefined || all) return;
  throw new Misuse("Which accounts? Name them with --account, --platform, --tags or --all.");
}

/** @throws Problem when no account matches */
async function chooseAccounts(api: Api, { account = [], platform, tags, all }: BulkOptions) {
  const isFiltered = platform !== undefined || tags !== undefined || all === true;
  const active = isFiltered
    ? await retrying(() => api.listAccounts(onlyGiven({ status: "active", tags })))
    : [];
  const isMeant = (one: Account) => platform === undefined || platform.includes(one.platform);
  const chosen = [...new Set([...account, ...active.filter(isMeant).map(({ id }) => id)])];
  if (chosen.length > 0) return chosen;
  throw new Problem("No active account matches. The accounts command shows all.");
}

function formatResults(results: readonly Result[]): string {
  const made = results.flatMap(({ upload }) => (upload ? [upload] : []));
  const refused = results.flatMap((one) =>
    one.success ? [] : [`${one.accountId} does not get it: ${one.error}`],
  );
  const queued = results.flatMap((one) => (one.success && !one.upload ? [one] : []));
  const waiting = formatTable(
    ["Post", "Platform", "Account", "Scheduled for"],
    queued.map(({ uploadId, platform, accountId, scheduledFor }) => [
      String(uploadId),
      platform,
      accountId,
      scheduledFor ?? "now",
    ]),
  );
  return [
    ...(made.length > 0 ? [formatUploads(made)] : []),
    ...(queued.length > 0 ? [waiting] : []),
    ...refused,
  ].join("\n");
}
