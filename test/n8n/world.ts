import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGradientPng } from "../../src/cli/png.ts";
import { stopGroups } from "../../src/cli/process-group.ts";
import { createSampleVideo } from "../../src/cli/sample-video.ts";
import { type Akimbo, startAkimbo } from "../peers/akimbo.ts";
import { type Place, startBusy, startFiles, startKeyless, startOlder } from "./stand-ins.ts";
import { CREDENTIAL } from "./workflows.ts";

/** Two parts: more than the node keeps in memory. */
export const FILM_BYTES = 21_000_000;

export const BUSY_SECONDS = 2;

interface FeedPost {
  platform: string;
  text: string;
  media: { kind: string; sizeBytes: number }[];
}

const credential = (id: string, baseUrl: string, token: string) => ({
  ...{ id, name: id, type: "akimboApi" },
  data: { baseUrl, token },
});

type Places = Record<"files" | "older" | "keyless" | "busy", Place>;

/** What n8n talks to: an instance with its sandbox, stand-ins for other instances, and a site with files. */
export class World {
  readonly service: Akimbo;
  readonly files: Place;
  readonly older: Place;
  readonly accounts = new Map<string, string>();
  poolId = "";
  private readonly folder: string;
  private readonly places: Places;

  private constructor(folder: string, service: Akimbo, places: Places) {
    this.folder = folder;
    this.service = service;
    this.places = places;
    this.files = places.files;
    this.older = places.older;
  }

  static async start(): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), "akimbo-for-n8n-"));
    const service = await startAkimbo(folder, {});
    const png = createGradientPng({ width: 300, height: 300, from: [1, 99, 9], to: [250, 90, 90] });
    const world = new World(folder, service, {
      files: await startFiles({
        "/picture.png": { type: "image/png", bytes: png },
        "/film.mp4": { type: "video/mp4", bytes: createSampleVideo("n8n", FILM_BYTES) },
      }),
      older: await startOlder(service.origin, "/api/v1/media"),
      keyless: await startKeyless(service.origin),
      busy: await startBusy(service.origin, BUSY_SECONDS),
    });
    for (const { platform, id } of (await world.read("/accounts")).data) {
      world.accounts.set(platform, id);
    }
    world.poolId = (await world.read("/pools", { name: "n8n", timezone: "UTC" })).pool.id;
    return world;
  }

  account = (platform: string): string => this.accounts.get(platform) ?? "";

  credentials(): object[] {
    const { origin, token } = this.service;
    return [
      credential(CREDENTIAL, `${origin}/`, token),
      credential("older", this.places.older.origin, token),
      credential("keyless", this.places.keyless.origin, token),
      credential("busy", this.places.busy.origin, token),
      credential("stranger", origin, `kmb_${"0".repeat(64)}`),
    ];
  }

  /** Reads from the instance, or with a body posts to it. */
  async read(path: string, body?: object) {
    // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer holds
    const answer = await this.service.call<any>(body ? "POST" : "GET", path, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  }

  /** The posts at the sandbox's platforms that have the text. */
  async feed(text: string): Promise<FeedPost[]> {
    const response = await fetch(`${this.service.origin}/sandbox/api/posts`);
    const { posts } = (await response.json()) as { posts: FeedPost[] };
    return posts.filter((post) => post.text.includes(text));
  }

  async end(): Promise<void> {
    for (const place of Object.values(this.places)) place.close();
    await stopGroups();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
