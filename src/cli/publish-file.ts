import { createHash } from "node:crypto";
import { isAtRest } from "../client/wait-for.ts";
import { DAY } from "../core/time.ts";
import type { Account, Api, Upload } from "./api.ts";
import type { LocalFile } from "./local-file.ts";
import { Problem } from "./program.ts";
import { OUTPUT, type Reporter } from "./progress-bar.ts";
import { Refusal, retrying, TemporaryProblem } from "./retry.ts";
import type { StoredFile } from "./store-file.ts";
import type { UploadJournal } from "./upload-journal.ts";
import { watchUpload } from "./watch-upload.ts";

export type PostFields = Record<string, string>;

interface Publishing {
  api: Api;
  account: Account;
  file: LocalFile;
  journal: UploadJournal;
  fields: PostFields;
  reporter?: Reporter;
}

const KEY_KEPT_MS = DAY;
const NOT_BEGUN = { phase: "waiting for its turn", sentBytes: 0, totalBytes: 0 };

const hash = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);

export const nameOfPost = ({ id }: Account, fields: PostFields): string =>
  hash([id, Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1))]);

export const fieldOf = ({ kind }: LocalFile): "video" | "photo" =>
  kind === "video" ? "video" : "photo";

/**
 * Never repeats a post of an earlier run.
 *
 * @throws Problem when the post is refused
 */
export async function publishFile(publishing: Publishing, stored: StoredFile): Promise<Upload> {
  const { api, account, file, journal, fields } = publishing;
  const name = nameOfPost(account, fields);
  const { uploadId, sentAt, failures } = journal.post(name);
  if (uploadId !== null) return await watch(publishing, uploadId);
  if (sentAt !== null && Date.now() - sentAt > KEY_KEPT_MS) {
    throw new Problem(
      "An earlier run was cut off while it made this post, more than a day ago. It is not known any more " +
        "if the post was made. Look at your posts. If it is not there, add --anew.",
    );
  }
  const form = { accountId: account.id, [fieldOf(file)]: stored.bucketUrl, ...fields };
  // The next run after an interruption computes the same idempotency key.
  const key = `upload-${hash([stored.bucketUrl, name, failures])}`;
  if (sentAt === null) journal.note({ post: name, sentAt: Date.now() });
  let isUnanswered = sentAt !== null;
  const { say } = publishing.reporter ?? OUTPUT;
  const tell = (warning: string) => say(`But: ${warning}`);
  const create = () =>
    api.createUpload(form, key, tell).catch((error) => {
      // An earlier call may have created the post and lost its answer.
      if (!(error instanceof Refusal)) isUnanswered = true;
      else if (!isUnanswered) journal.note({ post: name, refused: true });
      throw error;
    });
  const created = await retrying(create);
  journal.note({ post: name, uploadId: created });
  const upload = await watch(publishing, created);
  // With `check_platform`, the user must look for the post on the platform before another try.
  if (upload.status === "failed" && upload.failure?.nextAction !== "check_platform") {
    journal.note({ post: name, failed: true });
  }
  return upload;
}

async function watch(publishing: Publishing, id: number): Promise<Upload> {
  const { api, account, file, reporter = OUTPUT } = publishing;
  const label = `To ${account.platform}`;
  const bar = reporter.startBar({ label, totalBytes: file.sizeBytes });
  try {
    return await watchUpload(api, id, ({ status, progress }) => {
      if (status === "completed") bar.show(file.sizeBytes, "published");
      if (isAtRest(status)) return;
      const { phase, sentBytes, totalBytes } = progress ?? NOT_BEGUN;
      const isSending = phase === "sending" && sentBytes < totalBytes;
      if (isSending) bar.show(sentBytes);
      else bar.show(sentBytes, phase === "sending" ? "processing" : phase);
    });
  } catch (error) {
    if (!(error instanceof TemporaryProblem)) throw error;
    throw new TemporaryProblem(`${error.message}\nThe post goes on without this program.`);
  } finally {
    bar.end();
  }
}
