import { randomUUID } from "node:crypto";
import { toCompleteBody } from "../client/upload.ts";
import { MINUTE } from "../core/time.ts";
import { type Api, ask } from "./api.ts";
import { isUnchanged, type LocalFile } from "./local-file.ts";
import { choosePresignRoute } from "./presign-route.ts";
import { Problem } from "./program.ts";
import {
  formatBytes,
  formatTransfer,
  OUTPUT,
  type ProgressBar,
  type Reporter,
} from "./progress-bar.ts";
import { AddressesEnded, putRange, RefusedPut } from "./put-range.ts";
import { isTemporaryStatus, retrying, TemporaryProblem } from "./retry.ts";
import type { Presigned, UploadJournal } from "./upload-journal.ts";

interface Storing {
  api: Api;
  file: LocalFile;
  journal: UploadJournal;
  platform: string | null;
  stopping: AbortSignal;
  reporter?: Reporter;
}

export interface StoredFile {
  bucketUrl: string;
  accessUrl: string;
  /** Bytes that this run sent, without earlier runs. */
  sentBytes: number;
  ms: number;
}

const LANES = 4;
/** Storage joins hundreds of parts before it answers. */
const COMPLETE_TIMEOUT_MS = 5 * MINUTE;

/**
 * The journal records each step before the next, so the program may stop at any time.
 *
 * @throws Problem
 */
export async function storeFile(storing: Storing): Promise<StoredFile> {
  const { file, journal, reporter = OUTPUT } = storing;
  await forgetUseless(storing);
  for (let isSecond = false; ; isSecond = true) {
    const target = journal.presigned ?? (await presign(storing));
    const startedAt = performance.now();
    try {
      const sentBytes = journal.isStored ? 0 : await sendMissing(storing, target);
      const { bucketUrl, accessUrl } = target;
      return { bucketUrl, accessUrl, sentBytes, ms: performance.now() - startedAt };
    } catch (error) {
      if (!(error instanceof AddressesEnded)) throw error;
      journal.clear();
      const message = `The addresses of ${file.name} in storage have ended (${error.message}).`;
      if (isSecond) throw new Problem(`${message} Run the command again.`);
      reporter.say(`${message} It is sent from the beginning.`);
    }
  }
}

async function presign({ api, file, journal, platform }: Storing): Promise<Presigned> {
  const route = choosePresignRoute(platform, file);
  const key = randomUUID();
  const [target] = await retrying(() => api.presign(route, [file], key));
  if (!target) throw new Problem(`${file.name} was given no address in storage.`);
  journal.begin(file, target);
  return target;
}

async function forgetUseless({ file, journal, reporter = OUTPUT }: Storing): Promise<void> {
  const { presigned } = journal;
  if (presigned === null) return;
  if (!journal.isOf(file)) {
    if (!journal.isStored) await abort(presigned);
    reporter.say(`${file.name} has changed since the last run. It is sent from the beginning.`);
    journal.clear();
  } else if (journal.isStored && (await isGone(presigned))) {
    reporter.say(`${file.name} is no longer in storage. It is sent again.`);
    journal.clear();
  }
}

async function isGone({ accessUrl }: Presigned): Promise<boolean> {
  const { response } = await retrying(() => ask(accessUrl, { method: "HEAD" }));
  return response.status === 404;
}

/** Storage expires uploads, so a failure here is harmless. */
async function abort(target: Presigned): Promise<void> {
  if (!("multipart" in target)) return;
  await ask(target.multipart.abortUrl, { method: "DELETE" }).catch(() => null);
}

interface Range {
  partNumber: number;
  url: string;
  offset: number;
  size: number;
}

const rangesOf = (target: Presigned, { sizeBytes }: LocalFile): Range[] =>
  "multipart" in target
    ? target.multipart.parts.map(({ partNumber, uploadUrl, size }) => ({
        partNumber,
        url: uploadUrl,
        size,
        offset: (partNumber - 1) * target.multipart.partSize,
      }))
    : [{ partNumber: 1, url: target.uploadUrl, offset: 0, size: sizeBytes }];

async function sendMissing(storing: Storing, target: Presigned): Promise<number> {
  const { file, journal, stopping, reporter = OUTPUT } = storing;
  const ranges = rangesOf(target, file);
  const missing = ranges.filter(({ partNumber }) => !journal.etags.has(partNumber));
  const missingBytes = missing.reduce((sum, { size }) => sum + size, 0);
  const fromBytes = file.sizeBytes - missingBytes;
  if (fromBytes > 0) {
    const count = `${ranges.length - missing.length} of ${ranges.length}`;
    reporter.say(`${count} parts are in storage already (${formatBytes(fromBytes)}).`);
  }
  const bar = reporter.startBar({ label: "Sending", totalBytes: file.sizeBytes, fromBytes });
  const onStop = () => {
    bar.end();
    reporter.say("Stopped. The same command goes on from here.");
  };
  stopping.addEventListener("abort", onStop, { once: true });
  const startedAt = performance.now();
  try {
    await sendAll(storing, target, missing, bar);
    if (!(await isUnchanged(file))) {
      await abort(target);
      journal.clear();
      throw new Problem(`${file.name} was changed while it was sent. Run the command again.`);
    }
    if ("multipart" in target) await complete(target.multipart.completeUrl, journal);
    bar.end();
    journal.note({ stored: true });
    if (missingBytes > 0) {
      reporter.say(`Sent ${formatTransfer(missingBytes, performance.now() - startedAt)}.`);
    }
    return missingBytes;
  } catch (error) {
    bar.end();
    throw error;
  } finally {
    stopping.removeEventListener("abort", onStop);
  }
}

async function sendAll(
  { file, journal, stopping }: Storing,
  target: Presigned,
  missing: readonly Range[],
  bar: ProgressBar,
): Promise<void> {
  const failing = new AbortController();
  const signal = AbortSignal.any([failing.signal, stopping]);
  const waiting = [...missing];
  let done = file.sizeBytes - missing.reduce((sum, { size }) => sum + size, 0);
  const onBytes = (bytes: number) => {
    done += bytes;
    if (bytes > 0) bar.show(done);
  };
  const headers = "uploadHeaders" in target ? target.uploadHeaders : {};
  const lane = async () => {
    for (let range = waiting.shift(); range; range = waiting.shift()) {
      const { partNumber, ...where } = range;
      const put = { ...where, headers, file, signal, onBytes };
      const etag = await retrying(() => putRange(put), signal).catch((error) => {
        // Status 412 means that an earlier try stored the file and its answer was lost.
        const isThere = error instanceof RefusedPut && error.status === 412;
        if (isThere && !("multipart" in target)) return "";
        throw error;
      });
      journal.note({ part: partNumber, etag });
    }
  };
  const lanes = Array.from({ length: LANES }, lane);
  try {
    await Promise.all(lanes);
  } catch (error) {
    failing.abort();
    await Promise.allSettled(lanes);
    throw error;
  }
}

/** A repeated completion of the upload gets the same answer. */
async function complete(completeUrl: string, { etags }: UploadJournal): Promise<void> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/xml" },
    body: toCompleteBody(etags),
  };
  await retrying(async () => {
    const { response, text } = await ask(completeUrl, init, COMPLETE_TIMEOUT_MS);
    if (response.ok) return;
    const refusal = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? text.slice(0, 200);
    const message = `The parts could not be put together: ${response.status}, ${refusal}`;
    if (isTemporaryStatus(response.status)) throw new TemporaryProblem(message);
    // Storage would refuse the same parts again, so the upload starts anew.
    throw new AddressesEnded(refusal);
  });
}
