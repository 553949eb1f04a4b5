import { setTimeout as sleep } from "node:timers/promises";
import { SAMPLE_VIDEO_BASE64 } from "../../src/cli/sample-video.ts";
import { type Instance, startAkimbo } from "./instance.ts";
import { peakMemoryMb, residentMemoryMb } from "./process-cost.ts";
import { ENTRY, filmKey, type Invocation, subrequestsOf } from "./relay-entry.ts";
import { arrivedAt, startTikTok, startX, type VideoPlatform } from "./relay-platforms.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const MEGABYTE = 1e6;
/** Source: performance bar 26. */
const MAX_MORE_MB = 80;
/** What the memory of one process varies by from second to second. */
const NOISE_MB = 8;
/** Source: Workers, "Platform limits": of the free plan; a paid one has 10,000. */
const MAX_SUBREQUESTS = 50;
const PATIENCE_MS = 300_000;
/** Several pieces on either platform. */
const WARM_UP_BYTES = 64 * MEGABYTE;

export interface Film {
  name: string;
  start(workspace: Workspace): Promise<VideoPlatform>;
  sizeBytes: number;
}

/** The longest that X takes of everybody. */
export const FILM_TO_X: Film = { name: "X", start: startX, sizeBytes: 512 * MEGABYTE };
/** Source: performance bar 26: at least 1 GiB. */
export const FILM_TO_TIKTOK: Film = { name: "TikTok", start: startTikTok, sizeBytes: 1_024 ** 3 };
/** Source: TikTok, "Media Transfer Guide": 4 GB at the most. */
export const LONGEST_TO_TIKTOK: Film = {
  name: "TikTok",
  start: startTikTok,
  sizeBytes: 4_000 * MEGABYTE,
};

const SAMPLE = Buffer.from(SAMPLE_VIDEO_BASE64, "base64");

/** The sample, and the header of a box of free space that lasts to the end of so many bytes. */
function filmHead(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const box = Buffer.alloc(16);
  box.writeUInt32BE(1, 0);
  box.write("free", 4, "latin1");
  box.writeBigUInt64BE(BigInt(sizeBytes - SAMPLE.length), 8);
  return new Uint8Array(Buffer.concat([SAMPLE, box]));
}

const query = (size: number) => new URLSearchParams({ key: filmKey(size), size: String(size) });

/**
 * Puts films into a folder of storage, by a server of its own: what making them leaves in its memory
 * would hide what passing them on takes.
 */
async function storeFilms(workspace: Workspace, script: string, sizes: number[]): Promise<string> {
  const storage = await workspace.folder();
  const { url, stop } = await startAkimbo(workspace, { script, entry: ENTRY, storage });
  for (const size of sizes) {
    const body = filmHead(size);
    const answer = await fetch(`${url}/bench/store?${query(size)}`, { method: "POST", body });
    if (!answer.ok) throw new Error(`The film was not stored: ${await answer.text()}`);
  }
  await stop();
  return storage;
}

/** An account on a platform, and films of any size that are published there. */
class Relay {
  readonly instance: Instance;
  readonly memory: number[] = [];
  private readonly teamId: number;
  private readonly token: string;
  private accountId = "";

  private constructor(instance: Instance, team: { id: number; token: string }) {
    this.instance = instance;
    this.teamId = team.id;
    this.token = team.token;
  }

  static async start(
    workspace: Workspace,
    script: string,
    scene: VideoPlatform,
    storage: string,
  ): Promise<Relay> {
    const variables = { PLATFORM_ORIGINS: JSON.stringify(scene.origins) };
    const instance = await startAkimbo(workspace, { script, entry: ENTRY, variables, storage });
    const relay = new Relay(instance, await createTeam(instance, 1));
    const account = await relay.call<{ id: string }>("/accounts", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ platform: scene.platform, credentials: { accessToken: "fresh" } }),
    });
    relay.accountId = account.id;
    return relay;
  }

  private async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { "x-api-key": this.token, ...init.headers };
    const answer = await fetch(this.instance.url + path, { ...init, headers });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }

  private async call<T>(path: string, init?: RequestInit): Promise<T> {
    const answer = await this.send(`/api/v1${path}`, init);
    return ((await answer.json()) as { data: T }).data;
  }

  /** Reads the stored film and drops it. */
  async readAlone(sizeBytes: number, pieceBytes: number): Promise<void> {
    await this.send(`/bench/read?${query(sizeBytes)}&piece=${pieceBytes}`);
  }

  /** What the queue consumer did since the last time. */
  async invocations(): Promise<Invocation[]> {
    return (await this.send("/bench/invocations")).json() as Promise<Invocation[]>;
  }

  /** Publishes the stored film, and looks at the memory as long as that takes. */
  async publish(title: string, sizeBytes: number): Promise<void> {
    const fields = new FormData();
    fields.set("accountId", this.accountId);
    fields.set("title", title);
    fields.set("status", "draft");
    fields.set("video", new Blob([filmHead(sizeBytes)]), "film.mp4");
    const { uploadId } = await this.call<{ uploadId: number }>("/upload", {
      method: "POST",
      body: fields,
    });
    // The draft's film becomes the large one, and the draft goes out.
    await this.instance.store([
      `UPDATE media SET object_key = '${filmKey(sizeBytes)}', size_bytes = ${sizeBytes}
        WHERE team_id = ${this.teamId}`,
      `UPDATE uploads SET status = 'pending', status_group = 'pending', due_at = ${Date.now()}
        WHERE id = ${uploadId}`,
    ]);
    await this.send("/bench/tick");
    const patience = performance.now() + PATIENCE_MS;
    while (performance.now() < patience) {
      const { status, errorMessage } = await this.call<{ status: string; errorMessage: string }>(
        `/upload/${uploadId}`,
      );
      if (status === "completed") return;
      if (status === "failed") throw new Error(errorMessage);
      this.memory.push(residentMemoryMb(this.instance.pid));
      await sleep(100);
    }
    throw new Error("The film is not out.");
  }
}

/** Memory and work of the server while it passes a large video on, piece by piece. */
export async function measureRelay(
  workspace: Workspace,
  script: string,
  { name, start, sizeBytes }: Film,
): Promise<Row[]> {
  const scene = await start(workspace);
  const storage = await storeFilms(workspace, script, [WARM_UP_BYTES, sizeBytes]);
  const relay = await Relay.start(workspace, script, scene, storage);
  const { instance, memory } = relay;
  // Once before, so that what the runtime keeps for itself is not counted, nor what the simulated storage
  // leaves behind by being read, which is a part of the same process.
  await relay.publish("A short film", WARM_UP_BYTES);
  const pieceBytes = Math.max(...scene.pieces.values());
  const reading = await peakMemoryMb(instance.pid, () => relay.readAlone(sizeBytes, pieceBytes));
  await relay.invocations();
  scene.reset();
  memory.length = 0;
  const before = residentMemoryMb(instance.pid);
  const startedAt = performance.now();
  const peak = await peakMemoryMb(instance.pid, () => relay.publish("A long film", sizeBytes));
  const seconds = (performance.now() - startedAt) / 1_000;
  const invocations = await relay.invocations();
  await instance.stop();

  const quarter = Math.ceil(memory.length / 4);
  const mostOf = (part: number[]) => Math.max(...part) - before;
  const first = mostOf(memory.slice(0, quarter));
  const last = mostOf(memory.slice(-quarter));
  const most = (of: (one: Invocation) => number) => Math.max(...invocations.map(of));
  const megabytes = (value: number) => `${value.toFixed(0)} MB`;
  const what = `a video of ${(sizeBytes / MEGABYTE).toLocaleString("en")} MB to ${name}`;
  return [
    atMost(`${what}: bytes that did not arrive`, sizeBytes - arrivedAt(scene), 0),
    atMost("pieces sent twice", scene.requests - scene.pieces.size, 0),
    atMost("memory at its peak", peak, MAX_MORE_MB, " MB"),
    note("reading it alone had taken before", megabytes(reading)),
    atMost("its last quarter above its first", Math.max(0, last - first), NOISE_MB, " MB"),
    note("the first and the last quarter of it", `${megabytes(first)}, ${megabytes(last)}`),
    note(
      "pieces, and the largest of them",
      `${scene.pieces.size}, ${(Math.max(...scene.pieces.values()) / MEGABYTE).toFixed(1)} MB`,
    ),
    note("invocations", String(invocations.length)),
    atMost("subrequests of one invocation, at the most", most(subrequestsOf), MAX_SUBREQUESTS),
    note("database statements of one, at the most", String(most(({ queries }) => queries))),
    note("passed on in", `${seconds.toFixed(0)} s`),
  ];
}
