import { createHash } from "node:crypto";
import { join } from "node:path";
import { formatCount } from "../core/text.ts";
import { type Account, type Api, askHealth, createApi, type Upload } from "./api.ts";
import { readOrigin, readToken } from "./instance.ts";
import { type LocalFile, readHead, readLocalFile } from "./local-file.ts";
import { readStateDir } from "./paths.ts";
import { Problem } from "./program.ts";
import { formatBytes } from "./progress-bar.ts";
import { fieldOf, nameOfPost, type PostFields, publishFile, toForm } from "./publish-file.ts";
import { PassingProblem, retrying } from "./retry.ts";
import { storeFile } from "./store-file.ts";
import { removeOldJournals, UploadJournal } from "./upload-journal.ts";

export interface UploadOptions {
  account?: string;
  title?: string;
  description?: string;
  at?: string;
  set: string[];
  anew?: boolean;
}

/** Fields of POST /upload that every platform has, and no option of their own. */
const COMMON_FIELDS = ["status", "thumbnail_url"];
/** Leading bytes of a video or document that a dry run is sent: LinkedIn takes no film under 75 KB. */
const SAMPLE_BYTES = 256_000;

/**
 * Uploads a file and publishes it; without an account, it is only uploaded. Returns the exit code.
 *
 * @throws Problem
 */
export async function runUpload(
  given: string,
  options: UploadOptions,
  stopping: AbortSignal,
): Promise<number> {
  const fields = readFields(options);
  const file = await readLocalFile(given);
  const [origin, token] = [readOrigin(), await readToken()];
  await requireInstance(origin);
  const api = createApi(origin, token);
  const folder = join(readStateDir(), "uploads");
  await removeOldJournals(folder);
  const tokenHash = createHash("sha256").update(token).digest("hex");
  const journal = UploadJournal.open(folder, [origin, tokenHash, file.path]);
  if (options.anew) journal.clear();
  try {
    if (options.account === undefined) return await storeAlone({ api, file, journal, stopping });
    const account = await retrying(() => api.getAccount(options.account ?? ""));
    return await publish({ api, account, file, journal, fields, stopping });
  } catch (error) {
    if (!(error instanceof PassingProblem)) throw error;
    throw new Problem(`${error.message}\nThe same command goes on from where this one stopped.`);
  }
}

interface Run {
  api: Api;
  file: LocalFile;
  journal: UploadJournal;
  stopping: AbortSignal;
}

const describeFile = ({ name, sizeBytes, mime }: LocalFile): string =>
  `${name}, ${formatBytes(sizeBytes)}, ${mime}`;

async function storeAlone(run: Run): Promise<number> {
  console.log(describeFile(run.file));
  const { bucketUrl, accessUrl } = await storeFile({ ...run, platform: null });
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

async function publish(run: Run & { account: Account; fields: PostFields }): Promise<number> {
  const { file, account, journal, fields } = run;
  const { platform, accountName } = account;
  console.log(`${describeFile(file)} → ${platform} (${accountName})`);
  const name = nameOfPost(account, fields);
  const isKnown = journal.isOf(file) && journal.post(name).sentAt !== null;
  if (!isKnown) await requireAcceptable(run);
  const wasPosted = isKnown && journal.post(name).uploadId !== null;
  if (wasPosted) console.log("An earlier run has made this post; --anew would make another one.");
  const stored = wasPosted
    ? { bucketUrl: "", accessUrl: "", sentBytes: 0, ms: 0 }
    : await storeFile({ ...run, platform });
  return report(await publishFile(run, stored));
}

/**
 * Refuses what the instance would refuse once the file is there: a large file is not sent in vain.
 *
 * @throws Problem with every reason
 */
async function requireAcceptable({
  api,
  account,
  file,
  fields,
}: Run & { account: Account; fields: PostFields }): Promise<void> {
  const { platform } = account;
  const { mediaSupport, settingsSchema } = await retrying(() => api.getCapabilities(platform));
  const known = [...Object.keys(settingsSchema), ...COMMON_FIELDS, ...OPTION_FIELDS];
  const unknown = Object.keys(fields).filter((field) => !known.includes(field));
  if (unknown.length > 0) {
    const list = Object.keys(settingsSchema).join(", ");
    throw new Problem(`${platform} has no field ${unknown.join(", ")}. It has: ${list}.`);
  }
  const maxBytes = mediaSupport[`${file.kind}MaxBytes`];
  if (maxBytes !== undefined && file.sizeBytes > maxBytes) {
    throw new Problem(
      `${file.name} has ${formatCount(file.sizeBytes)} bytes, and ${platform} takes ${file.kind}s of up to ${formatCount(maxBytes)}.`,
    );
  }
  const form = toForm({ accounts: JSON.stringify([account.id]), ...fields });
  const head = await readHead(file.path, file.kind === "image" ? file.sizeBytes : SAMPLE_BYTES);
  form.set(fieldOf(file), new Blob([head], { type: file.mime }), file.name);
  const errors = await retrying(() => api.validate(form));
  if (errors.length > 0) throw new Problem(errors.join("\n"));
}

const OPTION_FIELDS = ["title", "description", "schedule_date"];
const OWN_FIELDS = ["accountId", "video", "photo", "file", ...OPTION_FIELDS];

/** @throws Problem for a field that is set otherwise */
function readFields({ account, title, description, at, set }: UploadOptions): PostFields {
  const fields: PostFields = {};
  const options = { title, description, schedule_date: at };
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) fields[name] = value;
  }
  for (const one of set) {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(one) ?? [];
    if (name === undefined || value === undefined) {
      throw new Problem(`--set wants NAME=VALUE, such as --set privacyStatus=private, not ${one}.`);
    }
    if (OWN_FIELDS.includes(name)) throw new Problem(`--set ${name}: it has an option of its own.`);
    fields[name] = value;
  }
  if (account === undefined && Object.keys(fields).length > 0) {
    throw new Problem("Without --account the file is only uploaded: the other options need one.");
  }
  return fields;
}

async function requireInstance(origin: string): Promise<void> {
  const health = await askHealth(origin);
  if (health?.status) return;
  if (health) throw new Problem(`What answers at ${origin}/health is not Akimbo: ${health.text}`);
  const remedy = process.env.AKIMBO_URL ? "Check AKIMBO_URL." : "Start Akimbo with npm start.";
  throw new Problem(`Nothing answers at ${origin}/health. ${remedy}`);
}

function report({ id, status, scheduledFor, metadata, errorMessage, failure }: Upload): number {
  if (status === "failed") {
    console.error(`Failed: ${errorMessage ?? failure?.code ?? "no reason is known"}`);
    console.error(
      failure?.nextAction === "check_platform"
        ? "It may be published all the same. Look at the platform; if it is not there, add --anew."
        : "The file stays in storage: the same command posts it again, without sending it.",
    );
    return 1;
  }
  if (status === "scheduled") console.log(`Scheduled for ${scheduledFor}, as post ${id}.`);
  else if (status === "pending_approval") console.log(`Held for approval, as post ${id}.`);
  else if (status === "draft") console.log(`Saved as a draft, post ${id}.`);
  else
    console.log(`Published: ${metadata?.shareUrl ?? `post ${id}; the platform gave no address`}`);
  for (const warning of metadata?.warnings ?? []) console.log(`But: ${warning}`);
  return 0;
}
