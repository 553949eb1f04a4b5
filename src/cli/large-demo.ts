import { rmSync } from "node:fs";
import { mkdtemp, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomHex } from "../core/ids.ts";
import { type Account, type Api, ensureSandboxAccounts } from "./api.ts";
import { type LocalFile, readLocalFile } from "./local-file.ts";
import { Problem } from "./program.ts";
import { formatBytes, formatSpeed } from "./progress-bar.ts";
import { publishFile } from "./publish-file.ts";
import { createSampleVideoHead } from "./sample-video.ts";
import { storeFile } from "./store-file.ts";
import { formatTable } from "./table.ts";
import { UploadJournal } from "./upload-journal.ts";

const FILM_BYTES = 300_000_000;
const PLATFORMS = ["youtube", "tiktok"] as const;

export async function runLargeDemo(api: Api, stopping: AbortSignal): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "akimbo-demo-"));
  const clear = () => rmSync(folder, { recursive: true, force: true });
  process.on("exit", clear);
  try {
    return await run(api, folder, stopping);
  } finally {
    clear();
    process.off("exit", clear);
  }
}

interface Leg {
  what: string;
  ms: number;
  result: string;
}

async function run(api: Api, folder: string, stopping: AbortSignal): Promise<number> {
  const accounts = await findAccounts(api);
  const mark = randomHex(6);
  const file = await writeFilm(folder, mark);
  console.log(`Wrote ${file.path}, a film of ${formatBytes(file.sizeBytes)}.`);
  const journal = UploadJournal.open(folder, [file.path]);
  const stored = await storeFile({ api, file, journal, platform: "youtube", stopping });
  const legs: Leg[] = [{ what: "storage", ms: stored.ms, result: stored.bucketUrl }];
  let exitCode = 0;
  for (const account of accounts) {
    const startedAt = performance.now();
    const fields = { title: `A large film ${mark}` };
    const upload = await publishFile({ api, account, file, journal, fields }, stored);
    const isPublished = upload.status === "completed";
    const result = isPublished ? upload.metadata?.shareUrl : upload.errorMessage;
    if (!isPublished) exitCode = 1;
    const what = `${account.platform} (${account.accountName})`;
    legs.push({ what, ms: performance.now() - startedAt, result: result ?? upload.status });
  }
  console.log(`\n${formatLegs(legs, file)}`);
  return exitCode;
}

async function findAccounts(api: Api): Promise<Account[]> {
  const ids = await ensureSandboxAccounts(api, PLATFORMS);
  const accounts = await api.listAccounts();
  return ids.map((id) => {
    const account = accounts.find((one) => one.id === id);
    if (!account) throw new Problem(`The sandbox account ${id} is gone.`);
    return account;
  });
}

/** Sparse padding takes no room on most disks. */
async function writeFilm(folder: string, mark: string): Promise<LocalFile> {
  const path = join(folder, "film.mp4");
  await writeFile(path, createSampleVideoHead(mark, FILM_BYTES));
  await truncate(path, FILM_BYTES);
  return await readLocalFile(path);
}

const formatLegs = (legs: readonly Leg[], { sizeBytes }: LocalFile): string =>
  formatTable(
    ["To", "Size", "Seconds", "Speed", "Result"],
    legs.map(({ what, ms, result }) => [
      what,
      formatBytes(sizeBytes),
      (ms / 1_000).toFixed(1),
      formatSpeed(sizeBytes, ms),
      result,
    ]),
  );
