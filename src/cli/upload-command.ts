import { createHash } from "node:crypto";
import type { Command } from "commander";
import { formatCount } from "../core/counts.ts";
import { type Account, type Api, createApi, requireInstance, type Upload } from "./api.ts";
import {
  addClientCommand,
  type ClientOptions,
  collect,
  inWordsOf,
  type Setting,
  toInstantText,
} from "./client-command.ts";
import { type Connection, type Host, readConnection } from "./connection.ts";
import { type LocalFile, readHead, readLocalFile } from "./local-file.ts";
import { readSettings, requireKnownFields } from "./post-fields.ts";
import { Misuse, Problem } from "./program.ts";
import { ERROR_OUTPUT, formatBytes, OUTPUT, type Reporter } from "./progress-bar.ts";
import { fieldOf, nameOfPost, type PostFields, publishFile } from "./publish-file.ts";
import { retrying, TemporaryProblem } from "./retry.ts";
import { storeFile } from "./store-file.ts";
import { removeOldJournals, UploadJournal } from "./upload-journal.ts";
import { hasFailed } from "./upload-table.ts";

export interface UploadOptions extends ClientOptions {
  account?: string;
  title?: string;
  description?: string;
  alt?: string;
  at?: string;
  set: string[];
  anew?: boolean;
}

/** LinkedIn refuses videos under 75 KB, even in a dry run. */
const SAMPLE_BYTES = 256_000;

export function addUploadCommand(program: Command, { host, stopping, end }: Setting): void {
  addClientCommand(program, "upload")
    .description("uploads a file of any size and publishes it; what was interrupted goes on")
    .argument("<file>", "a video, an image or a document")
    .option("--account <id>", "where it is published; without it, the file is only uploaded")
    .option("--title <text>", "the title of the post")
    .option("--description <text>", "its description")
    .option("--alt <text>", "what the file shows, for people who cannot see it")
    .option(
      "--at <date>",
      "publishes later: ISO 8601 with an offset, as 2026-12-24T18:00:00+01:00",
      toInstantText,
    )
    .option(
      "--set <name=value>",
      "any other field of POST /upload; repeat it for several",
      collect,
      [],
    )
    .option("--anew", "forgets what an earlier run has sent and posted")
    .option("--json", "prints the result as JSON, and what happens to standard error")
    .addHelpText("after", inWordsOf({ host }, UPLOAD_HELP))
    .action(async (file: string, options: UploadOptions) => {
      end(await runUpload(file, options, { host, stopping }));
    });
}

const UPLOAD_HELP = `
Examples:
  akimbo upload film.mp4 --account acc_1 --title "A film" --set privacyStatus=private
  akimbo upload film.mp4

Stop it when you like: the same command sends what is missing, and posts nothing twice.`;

export async function runUpload(
  filePath: string,
  options: UploadOptions,
  { host, stopping }: { host: Host; stopping: AbortSignal },
): Promise<number> {
  const fields = readFields(options);
  const file = await readLocalFile(filePath);
  const connection = await readConnection(options, host);
  await requireInstance(connection);
  const api = createApi(connection.origin, connection.credential);
  const folder = host.uploadsFolder(process.env);
  await removeOldJournals(folder);
  const journal = openJournal(folder, connection, file);
  if (options.anew) journal.clear();
  const { json: isJson = false } = options;
  const reporter = isJson ? ERROR_OUTPUT : OUTPUT;
  const run = { api, file, journal, stopping, reporter, isJson };
  try {
    if (options.account === undefined) return await storeAlone(run);
    const account = await retrying(() => api.getAccount(options.account ?? ""));
    return await publish({ ...run, account, fields });
  } catch (error) {
    if (!(error instanceof TemporaryProblem)) throw error;
    const message = `${error.message}\nThe same command goes on from where this one stopped.`;
    throw new Problem(message, error.exitCode);
  }
}

export function openJournal(
  folder: string,
  { origin, holder }: Pick<Connection, "origin" | "holder">,
  { path }: LocalFile,
): UploadJournal {
  const holderHash = createHash("sha256").update(holder).digest("hex");
  return UploadJournal.open(folder, [origin, holderHash, path]);
}

interface Run {
  api: Api;
  file: LocalFile;
  journal: UploadJournal;
  stopping: AbortSignal;
  reporter: Reporter;
  isJson: boolean;
}

const describeFile = ({ name, sizeBytes, mime }: LocalFile): string =>
  `${name}, ${formatBytes(sizeBytes)}, ${mime}`;

async function storeAlone(run: Run): Promise<number> {
  run.reporter.say(describeFile(run.file));
  const { bucketUrl, accessUrl } = await storeFile({ ...run, platform: null });
  if (run.isJson) {
    console.log(JSON.stringify({ bucketUrl, accessUrl }, null, 2));
    return 0;
  }
  console.log(
    [
      "The file is in storage. A post takes it by its address:",
      "",
      `  bucketUrl  ${bucketUrl}`,
      `  accessUrl  ${accessUrl} (for everybody who knows it)`,
    ].join("\n"),
  );
  return 0;
}

type PostRun = Run & { account: Account; fields: PostFields };

async function publish(run: PostRun): Promise<number> {
  const { file, account, journal, fields, reporter } = run;
  const { platform, accountName } = account;
  reporter.say(`${describeFile(file)} → ${platform} (${accountName})`);
  const name = nameOfPost(account, fields);
  const isKnown = journal.isOf(file) && journal.post(name).sentAt !== null;
  if (!isKnown) await requireAcceptable(run);
  const wasPosted = isKnown && journal.post(name).uploadId !== null;
  if (wasPosted) reporter.say("An earlier run has made this post; --anew would make another one.");
  const stored = wasPosted
    ? { bucketUrl: "", accessUrl: "", sentBytes: 0, ms: 0 }
    : await storeFile({ ...run, platform });
  const upload = await publishFile(run, stored);
  if (run.isJson) console.log(JSON.stringify(upload, null, 2));
  return report(upload, reporter);
}

/** @throws Problem that says why the post would be refused */
async function requireAcceptable({ api, account, file, fields }: PostRun): Promise<void> {
  const { platform } = account;
  const names = Object.keys(fields).filter((field) => !OPTION_FIELDS.includes(field));
  const capabilities = await retrying(() => api.getCapabilities(platform));
  await requireKnownFields(names, async () => [capabilities]);
  const { mediaSupport } = capabilities;
  const maxBytes = mediaSupport[`${file.kind}MaxBytes`];
  if (maxBytes !== undefined && file.sizeBytes > maxBytes) {
    throw new Problem(
      `${file.name} has ${formatCount(file.sizeBytes)} bytes, and ${platform} takes ${file.kind}s of up to ${formatCount(maxBytes)}.`,
    );
  }
  const head = await readHead(file, file.kind === "image" ? file.sizeBytes : SAMPLE_BYTES);
  const sample = new File([head], file.name, { type: file.mime });
  const form = { accounts: JSON.stringify([account.id]), ...fields, [fieldOf(file)]: sample };
  const errors = await retrying(() => api.validate(form));
  if (errors.length > 0) throw new Problem(errors.join("\n"));
}

const OPTION_FIELDS = ["title", "description", "alt_text", "schedule_date"];
const OWN_FIELDS = ["accountId", "video", "photo", "file", ...OPTION_FIELDS];

/** @throws Misuse for fields of a post without an account */
function readFields({ account, title, description, alt, at, set }: UploadOptions): PostFields {
  const fields: PostFields = readSettings(set, OWN_FIELDS);
  const options = { title, description, alt_text: alt, schedule_date: at };
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) fields[name] = value;
  }
  if (account === undefined && Object.keys(fields).length > 0) {
    throw new Misuse("Without --account the file is only uploaded: the other options need one.");
  }
  return fields;
}

function report(upload: Upload, { say }: Reporter): number {
  const { id, status, scheduledFor, metadata, errorMessage, failure } = upload;
  if (status === "failed") {
    console.error(`Failed: ${errorMessage ?? failure?.code ?? "no reason is known"}`);
    console.error(
      failure?.nextAction === "check_platform"
        ? "It may be published all the same. Look at the platform; if it is not there, add --anew."
        : "The file stays in storage: the same command posts it again, without sending it.",
    );
    return 1;
  }
  if (status === "scheduled") say(`Scheduled for ${scheduledFor}, as post ${id}.`);
  else if (status === "pending_approval") say(`Held for approval, as post ${id}.`);
  else if (status === "draft") say(`Saved as a draft, post ${id}.`);
  else say(`Published: ${metadata?.shareUrl ?? `post ${id}; the platform gave no address`}`);
  for (const warning of metadata?.warnings ?? []) say(`But: ${warning}`);
  return hasFailed(upload) ? 1 : 0;
}
