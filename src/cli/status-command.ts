import { randomUUID } from "node:crypto";
import { type Command, InvalidArgumentError } from "commander";
import { PLATFORMS } from "../core/platforms.ts";
import { UPLOAD_STATUSES } from "../core/upload-status.ts";
import type { Api, RetriedUploads, UploadFilter } from "./api.ts";
import {
  addClientCommand,
  type ClientOptions,
  choice,
  inWordsOf,
  onlyGiven,
  openApi,
  type Setting,
  show,
  withJson,
} from "./client-command.ts";
import { Misuse } from "./program.ts";
import { retrying } from "./retry.ts";
import { formatTable } from "./table.ts";
import { formatUploads, hasFailed } from "./upload-table.ts";
import { waitForUploads } from "./watch-upload.ts";

interface StatusOptions extends ClientOptions {
  status?: string;
  platform?: string;
  search?: string;
  archived?: string;
  limit: number;
  wait?: boolean;
}

interface RetryOptions extends ClientOptions {
  force?: boolean;
  failed?: boolean;
  account?: string;
  platform?: string;
  wait: boolean;
}

const DEFAULT_COUNT = 20;
/** Source: spec, "Other limits". */
const MAX_COUNT = 1_000;

/** @throws InvalidArgumentError for an invalid count */
function toCount(input: string): number {
  const count = /^\d{1,4}$/.test(input) ? Number(input) : 0;
  if (count >= 1 && count <= MAX_COUNT) return count;
  throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_COUNT}.`);
}

export function addStatusCommands(program: Command, setting: Setting): void {
  withJson(addClientCommand(program, "status"))
    .description("shows where posts stand: those named, else the newest ones")
    .argument("[post...]", "numbers of posts")
    .addOption(choice("--status <status>", "of the newest", UPLOAD_STATUSES))
    .addOption(choice("--platform <name>", "of the newest: those of one platform", PLATFORMS))
    .option("--search <text>", "of the newest: those with this text")
    .option(
      "--archived <month>",
      "archived posts of a month, such as 2025-03, in place of the newest",
    )
    .option("--limit <count>", "of the newest: how many, up to 1,000", toCount, DEFAULT_COUNT)
    .option("--wait", "waits until nothing more happens to the posts named")
    .addHelpText("after", inWordsOf(setting, STATUS_HELP))
    .action(async (posts: string[], options: StatusOptions) => {
      const ids = posts.map(toId);
      const api = await openApi(options, setting);
      const uploads = await (ids.length > 0
        ? readPosts(api, ids, options.wait === true, setting)
        : retrying(() => api.listUploads(toUploadFilter(options))));
      show(options, uploads, () =>
        uploads.length > 0 ? formatUploads(uploads) : "There is no such post.",
      );
      if (ids.length > 0 && uploads.some(hasFailed)) setting.end(1);
    });

  withJson(addClientCommand(program, "retry"))
    .description("publishes failed posts again")
    .argument("[post...]", "numbers of posts")
    .option("--failed", "all that failed within a day and may go better this time")
    .option("--account <id>", "with --failed: those of one account")
    .addOption(choice("--platform <name>", "with --failed: those of one platform", PLATFORMS))
    .option("--force", "also posts that the platform would most likely refuse again")
    .option("--no-wait", "ends when the instance has it, not when it is out")
    .addHelpText(
      "after",
      inWordsOf(
        setting,
        "\nExamples:\n  akimbo retry 12\n  akimbo retry --failed --platform tiktok",
      ),
    )
    .action(async (posts: string[], options: RetryOptions) => {
      const ids = posts.map(toId);
      if ((options.failed ?? false) === ids.length > 0) {
        throw new Misuse("Name the posts, or say --failed for all that failed within a day.");
      }
      const api = await openApi(options, setting);
      await (options.failed ? retryAll(api, options) : retryPosts(api, ids, options, setting));
    });
}

const STATUS_HELP = `
Examples:
  akimbo status 12
  akimbo status 12 13 --wait --json
  akimbo status --status failed
  akimbo status --archived 2025-03 --search summer

With --json each post has its version, which an approval by the API names.
The exit code is 1 when a post that is named has failed, or a part of it.`;

/** @throws Misuse for an invalid number */
export function toId(input: string): number {
  if (/^\d{1,15}$/.test(input)) return Number(input);
  throw new Misuse(`"${input}" is not the number of a post; the status command shows the numbers.`);
}

const readPosts = (api: Api, ids: readonly number[], isWaiting: boolean, setting: Setting) =>
  isWaiting
    ? waitForUploads(api, ids, setting)
    : Promise.all(ids.map((id) => retrying(() => api.getUpload(id))));

const toUploadFilter = ({
  status,
  platform,
  search,
  archived,
  limit,
}: StatusOptions): UploadFilter => ({
  ...onlyGiven<UploadFilter>({ status, platform, search, archived }),
  limit,
});

async function retryPosts(
  api: Api,
  ids: readonly number[],
  options: RetryOptions,
  setting: Setting,
): Promise<void> {
  for (const id of ids) {
    const key = randomUUID();
    await retrying(() => api.retryUpload(id, options.force === true, key));
  }
  const uploads = await readPosts(api, ids, options.wait, setting);
  show(options, uploads, () => formatUploads(uploads));
  if (uploads.some(hasFailed)) setting.end(1);
}

async function retryAll(api: Api, options: RetryOptions): Promise<void> {
  const { account: accountId, platform } = options;
  const result = await api.retryFailed(onlyGiven({ accountId, platform }));
  show(options, result, () => formatRetried(result));
}

function formatRetried({ retried, skipped }: RetriedUploads): string {
  const summary = retried.length > 0 ? `Queued again: ${retried.join(", ")}.` : "Nothing to retry.";
  if (skipped.length === 0) return summary;
  const rows = skipped.map(({ uploadId, platform, reason }) => [
    String(uploadId),
    platform,
    reason,
  ]);
  return `${summary}\n\n${formatTable(["Left", "Platform", "Why"], rows)}`;
}
