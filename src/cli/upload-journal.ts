import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { DAY } from "../core/time.ts";
import { OWNER_ONLY } from "./dev-vars.ts";
import { parseJson } from "./json.ts";
import type { LocalFile } from "./local-file.ts";
import { Problem } from "./program.ts";

const OWNER_ONLY_FOLDER = 0o700;
/** Storage keeps a file that no post takes for a week. */
const KEPT_MS = 8 * DAY;

const addresses = { bucketUrl: z.string(), accessUrl: z.string() };

/** The addresses of a file in storage: with parts, or for one PUT. */
const presigned = z.union([
  z.object({
    ...addresses,
    multipart: z.object({
      parts: z.array(z.object({ partNumber: z.number(), uploadUrl: z.string(), size: z.number() })),
      partSize: z.number(),
      completeUrl: z.string(),
      abortUrl: z.string(),
    }),
  }),
  z.object({
    ...addresses,
    uploadUrl: z.string(),
    uploadHeaders: z.record(z.string(), z.string()),
  }),
]);
export type Presigned = z.infer<typeof presigned>;

/** Lines of a journal. Lines are only added, so a run that is killed loses at most the line it was writing. */
const line = z.union([
  z.object({
    file: z.object({ path: z.string(), sizeBytes: z.number(), changedAt: z.number() }),
    presigned,
  }),
  z.object({ part: z.number(), etag: z.string() }),
  z.object({ stored: z.literal(true) }),
  z.object({ post: z.string(), sentAt: z.number() }),
  z.object({ post: z.string(), uploadId: z.number() }),
  z.object({ post: z.string(), refused: z.literal(true) }),
  z.object({ post: z.string(), failed: z.literal(true) }),
]);
type Line = z.infer<typeof line>;

/** A post of the file, as far as it came. */
export interface JournalPost {
  /** When the call was first made, in ms; null before. */
  sentAt: number | null;
  /** Null until the call was answered. */
  uploadId: number | null;
  /** Attempts before this one that failed for good. */
  failures: number;
}

const NEW_POST: JournalPost = { sentAt: null, uploadId: null, failures: 0 };

/**
 * The journal of the upload of one file to one instance: an upload that was interrupted goes on from here. The
 * addresses in it are secrets.
 */
export class UploadJournal {
  private readonly path: string;
  private isBegun = false;
  presigned: Presigned | null = null;
  readonly etags = new Map<number, string>();
  isStored = false;
  private readonly posts = new Map<string, JournalPost>();
  /** The file as it was when its upload began. */
  private file: Pick<LocalFile, "path" | "sizeBytes" | "changedAt"> | null = null;

  private constructor(path: string) {
    this.path = path;
  }

  /** @param key tells uploads apart: the instance, its token, and the file's path */
  static open(folder: string, key: readonly string[]): UploadJournal {
    const name = createHash("sha256").update(JSON.stringify(key)).digest("hex").slice(0, 32);
    const journal = new UploadJournal(join(folder, `${name}.jsonl`));
    journal.read();
    return journal;
  }

  private read(): void {
    let text = "";
    try {
      text = readFileSync(this.path, "utf8");
    } catch {
      return;
    }
    for (const one of text.split("\n")) {
      const read = line.safeParse(parseJson(one));
      if (read.success) this.take(read.data);
    }
    this.isBegun = this.presigned !== null;
  }

  private take(entry: Line): void {
    if ("presigned" in entry) {
      this.presigned = entry.presigned;
      this.file = entry.file;
    } else if ("part" in entry) this.etags.set(entry.part, entry.etag);
    else if ("stored" in entry) this.isStored = true;
    else {
      const post = this.post(entry.post);
      const { post: name, ...reached } = entry;
      const { failures } = post;
      if ("refused" in entry) this.posts.set(name, { ...NEW_POST, failures });
      else if ("failed" in entry) this.posts.set(name, { ...NEW_POST, failures: failures + 1 });
      else this.posts.set(name, { ...post, ...reached });
    }
  }

  /** Notes the addresses of a file that is about to be sent. */
  begin({ path, sizeBytes, changedAt }: LocalFile, target: Presigned): void {
    this.note({ file: { path, sizeBytes, changedAt }, presigned: target });
  }

  /** Notes a step, on disk before anything else is done. */
  note(entry: Line): void {
    if ("presigned" in entry) this.clear();
    this.take(entry);
    // A line that was cut off is ended by the next one's beginning.
    const text = `\n${JSON.stringify(entry)}`;
    try {
      if (!this.isBegun) {
        mkdirSync(dirname(this.path), { recursive: true, mode: OWNER_ONLY_FOLDER });
      }
      appendFileSync(this.path, text, { mode: OWNER_ONLY });
      this.isBegun = true;
    } catch (error) {
      throw new Problem(`The state of the upload cannot be kept: ${(error as Error).message}`);
    }
  }

  /** Forgets the upload, as if there had been none. */
  clear(): void {
    rmSync(this.path, { force: true });
    this.isBegun = false;
    this.presigned = null;
    this.file = null;
    this.etags.clear();
    this.isStored = false;
    this.posts.clear();
  }

  isOf({ sizeBytes, changedAt }: LocalFile): boolean {
    return this.file?.sizeBytes === sizeBytes && this.file.changedAt === changedAt;
  }

  post(name: string): JournalPost {
    return this.posts.get(name) ?? NEW_POST;
  }
}

/** Removes journals that are too old to be of use. */
export async function removeOldJournals(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(".jsonl"))) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => null);
    if (stats && stats.mtimeMs < Date.now() - KEPT_MS) await rm(path, { force: true });
  }
}
