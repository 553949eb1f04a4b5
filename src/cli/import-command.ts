import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Command } from "commander";
import { csvOf } from "../core/csv-text.ts";
import type { Api, ImportedRow, ImportOutcome } from "./api.ts";
import {
  addClientCommand,
  type ClientOptions,
  collect,
  inWordsOf,
  openApi,
  type Setting,
  show,
  withJson,
} from "./client-command.ts";
import { readPostizPosts, toRows } from "./postiz.ts";
import { Misuse, Problem } from "./program.ts";
import { retrying } from "./retry.ts";
import { formatTable } from "./table.ts";

interface RunOptions extends ClientOptions {
  yes?: boolean;
}

interface SheetOptions extends RunOptions {
  timezone?: string;
  account?: string;
  map?: string[];
}

interface PostizOptions extends RunOptions {
  postizUrl: string;
  postizKeyFile?: string;
}

/** One import takes no more. */
const ROWS_AT_ONCE = 500;

const HELP = `
Examples:
  akimbo import posts.csv
  akimbo import posts.csv --timezone Europe/Berlin --yes
  akimbo import plan.csv --account bluesky:ada --map "description=Text" --map "scheduledFor=Date"

Without --yes it only shows what would be made. The same file makes no post twice.`;

const POSTIZ_HELP = `
Example:
  POSTIZ_API_KEY=… akimbo import-postiz --postiz-url https://api.postiz.com/public/v1

It reads the posts that Postiz has planned, and its drafts, and makes drafts of them with their dates: the API of Postiz
does not say which files a post has. Add the files, then approve. Accounts are matched by their handle.`;

export function addImportCommands(program: Command, setting: Setting): void {
  withJson(addClientCommand(program, "import"))
    .description("makes posts of the rows of a CSV file")
    .argument("<file>", "a sheet: of ours, or of Ayrshare, Publer or Buffer")
    .option("--timezone <zone>", "of dates without one; default: the workspace's")
    .option("--account <accounts>", "of rows that name none: ids, or platform:handle")
    .option("--map <field=column>", "a field and its column in the file; repeat it", collect)
    .option("--yes", "makes the posts, and does not only show them")
    .addHelpText("after", inWordsOf(setting, HELP))
    .action(async (file: string, options: SheetOptions) => {
      const sheet = new File([await readSheetFile(file)], basename(file), { type: "text/csv" });
      const { timezone, account, map } = options;
      const fields = {
        ...(timezone === undefined ? {} : { timezone }),
        ...(account === undefined ? {} : { account }),
        ...(map === undefined ? {} : { mapping: JSON.stringify(toMapping(map)) }),
      };
      await run(await openApi(options, setting), sheet, { fields, options, setting });
    });

  withJson(addClientCommand(program, "import-postiz"))
    .description("makes drafts of what Postiz has planned")
    .requiredOption("--postiz-url <url>", "its API, as https://postiz.example.com/api/public/v1")
    .option("--postiz-key-file <path>", "a file with its API key; default: POSTIZ_API_KEY")
    .option("--yes", "makes the drafts, and does not only show them")
    .addHelpText("after", inWordsOf(setting, POSTIZ_HELP))
    .action(async (options: PostizOptions) => {
      const api = await openApi(options, setting);
      const source = { url: options.postizUrl, key: await readKey(options.postizKeyFile) };
      const now = new Date();
      const [header = [], ...rows] = toRows(await readPostizPosts(source, now), now);
      if (rows.length === 0) throw new Problem("Postiz has no planned posts and no drafts.");
      for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
        const slice = csvOf([header, ...rows.slice(i, i + ROWS_AT_ONCE)]);
        const sheet = new File([slice], "postiz.csv", { type: "text/csv" });
        await run(api, sheet, { fields: {}, options, setting });
      }
    });
}

async function readSheetFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    throw new Problem(`${path} cannot be read: ${(error as Error).message}`);
  }
}

async function readKey(path: string | undefined): Promise<string> {
  const key = path === undefined ? process.env.POSTIZ_API_KEY : await readFile(path, "utf8");
  if (key?.trim()) return key.trim();
  throw new Misuse("Set POSTIZ_API_KEY, or name a file that holds the key: --postiz-key-file.");
}

/** @throws Misuse */
function toMapping(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new Misuse(`"${pair}" is no field=column.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

interface Run {
  fields: Record<string, string>;
  options: RunOptions;
  setting: Setting;
}

async function run(api: Api, file: File, { fields, options, setting }: Run): Promise<void> {
  const isDryRun = options.yes !== true;
  const form = { ...fields, file, dryRun: String(isDryRun) };
  // Repeating the call is safe: what is imported is passed over.
  const outcome = await retrying(() => api.importUploads(form));
  show(options, outcome, () => inWords(outcome));
  if (outcome.rows.some(({ valid }) => !valid)) setting.end(1);
}

function inWords(outcome: ImportOutcome): string {
  const { rows, dryRun, created, skipped, timezone, ignoredColumns } = outcome;
  const table = formatTable(["Row", "Account", "When", "Status", "Note"], rows.map(toCells));
  const refused = rows.filter(({ valid }) => !valid).length;
  const possible = rows.length - refused - skipped;
  const end = dryRun
    ? `${possible} of ${rows.length} can be made; add --yes to make them.`
    : `${created} made.`;
  return [
    table,
    "",
    `Dates without a zone are in the time of ${timezone}.`,
    ...(ignoredColumns.length > 0 ? [`Columns left out: ${ignoredColumns.join(", ")}.`] : []),
    `${end} ${skipped} are here already, ${refused} are refused.`,
  ].join("\n");
}

const toCells = (row: ImportedRow): string[] => [
  String(row.row),
  row.platform ? `${row.platform} ${row.accountId}` : "–",
  row.scheduledFor ?? (row.status === "pending" ? "at once" : "–"),
  row.valid ? `${row.status}${row.uploadId === null ? "" : ` ${row.uploadId}`}` : "refused",
  [...row.errors.map(({ message }) => message), ...row.warnings].join(" "),
];
