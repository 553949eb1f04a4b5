import { setTimeout as sleep } from "node:timers/promises";
import type { Bundle } from "./bundle.ts";
import { filmHead } from "./film.ts";
import { type Instance, startAkimbo } from "./instance.ts";
import { peakMemoryMb, residentMemoryMb } from "./process-cost.ts";
import { ENTRY, filmKey, type Invocation, subrequestsOf } from "./relay-entry.ts";
import {
  arrivedAt,
  startFilms,
  startTikTok,
  startX,
  startYouTube,
  type VideoPlatform,
} from "./relay-platforms.ts";
import { atMost, note, type Row } from "./report.ts";
import { createTeam } from "./team.ts";
import type { Workspace } from "./workspace.ts";

const MEGABYTE = 1e6;
/** Source: performance bar 26. */
const MAX_MORE_MB = 80;
/** A shorter film ends before the runtime has what it keeps for itself. */
const LONG_FILM = 1_024 ** 3;
/** Variation of one process's memory from second to second. */
const NOISE_MB = 8;
/** Source: Workers, "Platform limits": of the free plan; a paid one has 10,000. */
const MAX_SUBREQUESTS = 50;
const PATIENCE_MS = 1_800_000;
const LOOK_MS = 100;
/** Each question stays in the runtime's memory by about 20 KB, as a bare Worker's requests do. */
const ASK_EVERY_MS = 2_000;

export interface Film {
  name: string;
  start(workspace: Workspace): Promise<VideoPlatform>;
  sizeBytes: number;
}

/** The longest that X takes of everybody. */
export const FILM_TO_X: Film = { name: "X", start: startX, sizeBytes: 512 * MEGABYTE };
/** Source: performance bar 26: at least 1 GiB. */
export const FILM_TO_TIKTOK: Film = { name: "TikTok", start: startTikTok, sizeBytes: LONG_FILM };
/** Source: TikTok, "Media Transfer Guide": 4 GB at the most. */
export const LONGEST_TO_TIKTOK: Film = {
  name: "TikTok",
  start: startTikTok,
  sizeBytes: 4_000 * MEGABYTE,
};

/** Source: spec, "Presigned upload": the largest file that is taken for YouTube. */
export const LARGEST_TO_YOUTUBE: Film = {
  name: "YouTube",
  start: startYouTube,
  sizeBytes: 10 * LONG_FILM,
};

const query = (size: number) => new URLSearchParams({ key: filmKey(size), size: String(size) });

/** The least that a relay has to do. */
interface BareWork {
  sizeBytes: number;
  pieceBytes: number;
  invocations: number;
  /** To the database, for each piece. */
  roundTrips: number;
}

/** Returns how far the last quarter of the looks lies above the first, each at its peak. */
function growthMb(memory: readonly number[]): number {
  const quarter = Math.ceil(memory.length / 4);
  const peakOf = (looks: readonly number[]) => Math.max(...looks);
  return Math.max(0, peakOf(memory.slice(-quarter)) - peakOf(memory.slice(0, quarter)));
}

/** An account on a platform, and films that are published there. */
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
    bundle: Bundle,
    scene: VideoPlatform,
    films: string,
  ): Promise<Relay> {
    const variables = { PLATFORM_ORIGINS: JSON.stringify(scene.origins), FILMS: films };
    const instance = await startAkimbo(workspace, { bundle, entry: ENTRY, variables });
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

  /** The same film in the same pieces and with as many calls, from storage to somebody who drops them. */
  async passOn({ sizeBytes, pieceBytes, invocations, roundTrips }: BareWork): Promise<void> {
    const pieces = Math.ceil(sizeBytes / pieceBytes);
    const share = Math.ceil(pieces / invocations) * pieceBytes;
    for (let from = 0; from < sizeBytes; from += share) {
      const part = { piece: pieceBytes, from, to: from + share, roundTrips };
      const values = Object.entries(part).map(([name, value]) => `&${name}=${value}`);
      await this.watchMemory(this.send(`/bench/pass-on?${query(sizeBytes)}${values.join("")}`));
    }
  }

  /** Looks at the memory until the work is done. */
  private async watchMemory(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      this.memory.push(residentMemoryMb(this.instance.pid));
      await Promise.race([done, sleep(LOOK_MS)]);
    }
    await done;
  }

  /** Returns the invocations of the queue consumer since the last call. */
  async invocations(): Promise<Invocation[]> {
    return (await this.send("/bench/invocations")).json() as Promise<Invocation[]>;
  }

  /** Publishes the stored film, and looks at the memory as long as that takes. */
  async publish(title: string, sizeBytes: number): Promise<void> {
    const fields = new FormData();
    fields.set("accountId", this.accountId);
    fields.set("title", title);
    fields.set("status", "draft");
    // X takes no file twice, so that each is another one by what stands behind its head.
    fields.set("video", new Blob([filmHead(sizeBytes), title]), "film.mp4");
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
      await this.watchMemory(sleep(ASK_EVERY_MS));
      const { status, errorMessage } = await this.call<{ status: string; errorMessage: string }>(
        `/upload/${uploadId}`,
      );
      if (status === "completed") return;
      if (status === "failed") throw new Error(errorMessage);
    }
    throw new Error("The film is not out.");
  }
}

/**
 * The least that a relay can take: memory of another server, as fresh as the first, in which none of our code
 * passes the same film on in the same pieces. The runtime itself keeps some kilobytes of each call.
 */
async function measureBareRelay(
  work: BareWork,
  start: () => Promise<Relay>,
): Promise<{ peak: number; again: number; growth: number }> {
  const control = await start();
  const passOn = () => control.passOn(work);
  const peak = await peakMemoryMb(control.instance.pid, passOn);
  control.memory.length = 0;
  const again = await peakMemoryMb(control.instance.pid, passOn);
  await control.instance.stop();
  return { peak, again, growth: growthMb(control.memory) };
}

/** Memory and work of the server while it passes a large video on, piece by piece. */
export async function measureRelay(
  workspace: Workspace,
  bundle: Bundle,
  { name, start, sizeBytes }: Film,
): Promise<Row[]> {
  const scene = await start(workspace);
  const films = await startFilms(workspace, filmHead(sizeBytes));
  const begin = () => Relay.start(workspace, bundle, scene, films);
  const relay = await begin();
  const { instance, memory } = relay;
  const startedAt = performance.now();
  const peak = await peakMemoryMb(instance.pid, () => relay.publish("A film", sizeBytes));
  const seconds = (performance.now() - startedAt) / 1_000;
  const invocations = await relay.invocations();
  const pieceBytes = Math.max(...scene.pieces.values());
  const { requests } = scene;
  const missing = sizeBytes - arrivedAt(scene);
  // Measured again: the runtime now holds what it keeps for itself, so only growth with each film is left.
  memory.length = 0;
  const again = await peakMemoryMb(instance.pid, () => relay.publish("The film again", sizeBytes));
  await instance.stop();
  const asked = invocations.reduce((sum, { roundTrips }) => sum + roundTrips, 0);
  const bare = await measureBareRelay(
    {
      sizeBytes,
      pieceBytes,
      invocations: invocations.length,
      roundTrips: Math.round(asked / scene.pieces.size),
    },
    begin,
  );
  const growth = growthMb(memory);
  const max = (of: (one: Invocation) => number) => Math.max(...invocations.map(of));
  const megabytes = (value: number) => `${value.toFixed(0)} MB`;
  const what = `a video of ${Math.round(sizeBytes / MEGABYTE).toLocaleString("en")} MB to ${name}`;
  return [
    atMost(`${what}: bytes that did not arrive`, missing, 0),
    atMost("pieces sent twice", requests - scene.pieces.size, 0),
    atMost("memory at its peak", peak, MAX_MORE_MB, " MB"),
    note(
      "a bare relay of the same pieces and calls, in a process of its own",
      megabytes(bare.peak),
    ),
    note("more than the bare relay", megabytes(peak - bare.peak)),
    note("more for the same film again", `${megabytes(again)}, bare ${megabytes(bare.again)}`),
    note(
      "the last quarter of that above its first",
      `${megabytes(growth)}, bare ${megabytes(bare.growth)}`,
    ),
    ...(sizeBytes < LONG_FILM
      ? []
      : [atMost("more of that than the bare relay", growth - bare.growth, NOISE_MB, " MB")]),
    note(
      "pieces, and the largest of them",
      `${scene.pieces.size}, ${(pieceBytes / MEGABYTE).toFixed(1)} MB`,
    ),
    note("invocations", String(invocations.length)),
    atMost("subrequests of one invocation, at the most", max(subrequestsOf), MAX_SUBREQUESTS),
    note("database statements of one, at the most", String(max(({ queries }) => queries))),
    note("passed on in", `${seconds.toFixed(0)} s`),
  ];
}
