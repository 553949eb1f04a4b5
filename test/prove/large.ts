import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createRandom, type Random } from "../../src/cli/random.ts";
import { findFreePort } from "../../src/cli/server.ts";
import { CHUNK_BYTES } from "../../src/platforms/youtube/capabilities.ts";
import { canMeasureCpu, ownWorkerds, residentMemoryMb } from "../bench/process-cost.ts";
import { ChunkWatch } from "./chunk-watch.ts";
import type { Evidence } from "./findings.ts";
import { type Instance, post, startInstance } from "./instance.ts";
import { storeFilm } from "./stored-film.ts";
import { TOKEN } from "./token.ts";
import { printCounts, type Verdicts } from "./verdicts.ts";
import type { Proof } from "./worlds.ts";

/** Past a lease and the patience of the sweep, so that the next run begins at once. */
const DEAD_SECONDS = 200;
const CALL_MS = 60_000;
const LOOK_MS = 200;
const TICK_MS = 1_000;
/** Nothing has moved for so long: something waits for a later time. */
const STILL_MS = 15_000;
const MAX_STILLS = 20;
const MEGABYTE = 1_000_000;

/** The post as GET /upload/:id shows it. */
interface Look {
  status: string;
  errorMessage: string | null;
  progress: { phase: string; sentBytes: number } | null;
}

interface Memory {
  /** Bytes that had been stored by then. */
  at: number;
  megabytes: number;
}

/** Part G: one very large file on its way to YouTube, the server killed at chunks that chance chooses. */
export async function playLarge(proof: Proof): Promise<void> {
  const { sizeBytes, kills } = proof.form.large;
  if (sizeBytes === 0) return;
  const startedAt = performance.now();
  const journey = new Journey(proof, await mkdtemp(join(proof.folder, "large-")));
  try {
    await journey.open();
    const bucketUrl = await journey.store(sizeBytes);
    await journey.publish(bucketUrl, sizeBytes, kills);
    await journey.judge(sizeBytes, kills);
    console.log(`  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  } finally {
    await journey.close();
  }
}

class Journey {
  private readonly script: string;
  private readonly stateDir: string;
  private readonly verdicts: Verdicts;
  private readonly random: Random;
  private readonly watch = new ChunkWatch();
  private chunkWatch = "";
  private port = 0;
  private clockOffset = 0;
  private instance: Instance | null = null;
  private uploadId = 0;
  private storedIn = 0;
  private sentIn = 0;
  /** The memory of each life of the server. */
  private readonly memory: { before: number; during: Memory[] }[] = [];
  private readonly progress: number[] = [];
  private last: Look | null = null;

  constructor({ script, seed, verdicts }: Proof, stateDir: string) {
    this.script = script;
    this.stateDir = stateDir;
    this.verdicts = verdicts;
    this.random = createRandom(seed);
  }

  async open(): Promise<void> {
    this.chunkWatch = await this.watch.listen();
    this.port = await findFreePort();
    await this.start(true);
    await this.call("/prove/team", {});
  }

  async close(): Promise<void> {
    await this.instance?.kill();
    await this.watch.close();
    await rm(this.stateDir, { recursive: true, force: true });
  }

  private async start(isNew = false): Promise<void> {
    const { script, stateDir, clockOffset, port, chunkWatch } = this;
    const options = { script, stateDir, clockOffset, isNew, port, chunkWatch };
    this.instance = await startInstance(options);
    const before = this.residentMb();
    this.memory.push({ before, during: [] });
  }

  private get running(): Instance {
    if (!this.instance) throw new Error("No server runs.");
    return this.instance;
  }

  private residentMb(): number {
    const [workerd] = ownWorkerds(this.running.pid);
    return workerd && canMeasureCpu ? residentMemoryMb(workerd) : 0;
  }

  private call(path: string, body: object): Promise<unknown> {
    const headers = { "x-api-key": TOKEN };
    return post(this.running, path, { body, headers, timeoutMs: CALL_MS });
  }

  /** Puts the film into storage, and begins anew with a server that knows nothing of that. */
  async store(sizeBytes: number): Promise<string> {
    const startedAt = performance.now();
    const bucketUrl = await storeFilm(this.running, sizeBytes);
    this.storedIn = performance.now() - startedAt;
    await this.running.kill();
    this.memory.length = 0;
    await this.start();
    return bucketUrl;
  }

  private async create(bucketUrl: string): Promise<void> {
    const account = { platform: "youtube", sandbox: true, name: "Film" };
    const { data } = (await this.call("/api/v1/accounts", account)) as { data: { id: string } };
    const body = new FormData();
    body.set("accountId", data.id);
    body.set("title", "A long film");
    body.set("video", bucketUrl);
    const response = await fetch(`${this.running.origin}/api/v1/upload`, {
      method: "POST",
      headers: { "x-api-key": TOKEN },
      body,
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`The film is not taken: ${answer}`);
    this.uploadId = (JSON.parse(answer) as { data: { uploadId: number } }).data.uploadId;
  }

  async publish(bucketUrl: string, sizeBytes: number, kills: number): Promise<void> {
    const startedAt = performance.now();
    await this.create(bucketUrl);
    const chunks = Math.ceil(sizeBytes / CHUNK_BYTES);
    const targets = new Set<number>();
    while (targets.size < Math.min(kills, chunks)) targets.add(this.random.between(0, chunks - 1));
    for (const target of [...targets].sort((a, b) => a - b)) {
      await this.liveUntil(this.watch.begun(target * CHUNK_BYTES));
      await sleep(this.random.next() * this.watch.chunkMs);
      await this.running.kill();
      this.clockOffset += DEAD_SECONDS;
      await this.start();
    }
    await this.liveUntil(new Promise(() => {}));
    this.sentIn = performance.now() - startedAt;
  }

  /** Ticks and looks, until `end` or the end of the post. The clock is moved on when nothing happens. */
  private async liveUntil(end: Promise<void>): Promise<void> {
    let isOver = false;
    void end.then(() => {
      isOver = true;
    });
    let tickedAt = 0;
    let moved = { at: performance.now(), sendings: this.watch.sendings.length, stills: 0 };
    while (!isOver) {
      const now = performance.now();
      if (now - tickedAt > TICK_MS) {
        await this.call("/prove/tick", {});
        tickedAt = now;
      }
      const { length } = this.watch.sendings;
      if (length > moved.sendings) moved = { at: now, sendings: length, stills: 0 };
      if (now - moved.at > STILL_MS) {
        if (++moved.stills > MAX_STILLS) throw new Error("The film does not get on.");
        moved.at = now;
        this.clockOffset += DEAD_SECONDS;
        await this.call("/sandbox/api/clock", { offsetSeconds: this.clockOffset });
      }
      if (await this.look()) return;
      await Promise.race([end, sleep(LOOK_MS)]);
    }
  }

  /** Returns true when the post has come to its end. */
  private async look(): Promise<boolean> {
    const response = await fetch(`${this.running.origin}/api/v1/upload/${this.uploadId}`, {
      headers: { "x-api-key": TOKEN },
    });
    const { data } = (await response.json()) as { data: Look };
    this.last = data;
    if (data.progress) this.progress.push(data.progress.sentBytes);
    this.memory.at(-1)?.during.push({ at: this.watch.storedBytes, megabytes: this.residentMb() });
    return data.status === "completed" || data.status === "failed";
  }

  async judge(sizeBytes: number, kills: number): Promise<void> {
    const { verdicts, watch, progress, last } = this;
    const inMb = (bytes: number) => (bytes / MEGABYTE).toFixed(0);
    const rate = (ms: number) => `${(sizeBytes / MEGABYTE / (ms / 1_000)).toFixed(0)} MB/s`;
    console.log(
      `\nA file of ${inMb(sizeBytes)} MB to YouTube: kill -9 at ${kills} of ${Math.ceil(sizeBytes / CHUNK_BYTES)} chunks`,
    );
    printCounts("work", { "chunks sent": watch.sendings.length, looks: progress.length });
    console.log(
      `  put into storage at ${rate(this.storedIn)}, passed on at ${rate(this.sentIn)}; a chunk took ${watch.chunkMs.toFixed(0)} ms`,
    );

    const again = watch.sentBytes - sizeBytes;
    verdicts.check(
      `L1   ${inMb(again)} MB sent again, ${(again / CHUNK_BYTES).toFixed(1)} chunks, after ${kills} kills`,
      again >= 0 && again <= kills * CHUNK_BYTES,
    );
    const { events } = (await this.call("/prove/database", {})) as Pick<Evidence, "events">;
    const outcomes = events.map(({ name }) => name).filter((name) => name !== "upload.created");
    const feed = await fetch(`${this.running.origin}/sandbox/api/posts?platform=youtube`);
    const { posts } = (await feed.json()) as {
      posts: { received: number; media: { sizeBytes: number }[] }[];
    };
    const [only] = posts;
    const [video] = only?.media ?? [];
    verdicts.check(
      `L2   ${posts.length} video made, as long as the file, and told of once`,
      last?.status === "completed" &&
        posts.length === 1 &&
        only?.received === 1 &&
        video?.sizeBytes === sizeBytes &&
        outcomes.filter((name) => name === "upload.completed").length === 1,
      [JSON.stringify({ last, posts, outcomes })],
    );
    const falls = progress.filter((bytes, i) => bytes < (progress[i - 1] ?? 0));
    verdicts.check(
      `L3   progress was looked at ${progress.length} times and never fell`,
      progress.length > 0 && falls.length === 0,
      falls.map((bytes) => `to ${bytes}`),
    );
    this.showMemory(sizeBytes);
  }

  private showMemory(sizeBytes: number): void {
    if (!canMeasureCpu) return;
    const rises = this.memory.map(({ before, during }) => ({
      before,
      max: Math.max(before, ...during.map(({ megabytes }) => megabytes)),
    }));
    const quarters = [0, 1, 2, 3].map((quarter) => {
      const within = this.memory
        .flatMap(({ during }) => during)
        .filter(({ at }) => Math.floor((4 * at) / (sizeBytes + 1)) === quarter);
      return Math.max(0, ...within.map(({ megabytes }) => megabytes));
    });
    const list = (values: number[]) => values.map((value) => value.toFixed(0)).join(", ");
    console.log(`  memory of the runtime, its simulated storage and YouTube included, in MB:`);
    console.log(`    before each life: ${list(rises.map(({ before }) => before))}`);
    console.log(`    at its peak: ${list(rises.map(({ max }) => max))}`);
    console.log(`    peak of each quarter of the file: ${list(quarters)}`);
  }
}
