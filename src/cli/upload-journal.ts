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
/** Storage deletes a file without a post after a week. */
const KEPT_MS = 8 * DAY;

const addresses = { bucketUrl: z.string(), accessUrl: z.string() };

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

/** Journal lines are only appended, so a killed run loses at most its last line. */
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

export interface JournalPost {
  sentAt: number | null;
  uploadId: number | null;
  failures: number;
}

const NEW_POST: JournalPost = { sentAt: null, uploadId: null, failures: 0 };

/** An interrupted upload continues from its journal. The addresses in the journal are secrets. */
export class UploadJournal {
  private readonly path: string;
  private isBegun = false;
  presigned: Presigned | null = null;
  readonly etags = new Map<number, string>();
  isStored = false;
  private readonly posts = new Map<string, JournalPost>();
  private file: Pick<LocalFile, "path" | "sizeBytes" | "changedAt"> | null = null;

  private constructor(path: string) {
    this.path = path;
  }

  /** @param key instance, token and path of the file */
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

  begin({ path, sizeBytes, changedAt }: LocalFile, target: Presigned): void {
    this.note({ file: { path, sizeBytes, changedAt }, presigned: target });
  }

  note(entry: Line): void {
    if ("presigned" in entry) this.clear();
    this.take(entry);
    // A killed run may leave an incomplete line, which the newline ends.
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

export async function removeOldJournals(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(".jsonl"))) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => null);
    if (stats && stats.mtimeMs < Date.now() - KEPT_MS) await rm(path, { force: true });
  }
}
