import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../../src/cli/random.ts";
import type { LivePlatform } from "../live-platform.ts";
import type { Month } from "../month.ts";
import type { Receiver } from "../receiver.ts";
import { arrivalsOf } from "./arrivals.ts";
import { loseAndRestore, type Restored } from "./disaster.ts";
import { type Event, Feed } from "./feed.ts";
import { inTurn } from "./in-turn.ts";
import type { People, Post } from "./people.ts";
import { type Build, migrate } from "./scripts.ts";
import { HOUR_MS, MINUTE_MS, type Service } from "./service.ts";
import { fillPool, type Team } from "./teams.ts";
import type { Visitors } from "./visitors.ts";

export interface World {
  service: Service;
  platform: LivePlatform;
  receiver: Receiver;
  teams: readonly Team[];
  people: People;
  visitors: Visitors;
  random: Random;
  scripts: { earlier: Build & { name: string }; today: Build };
}

/** What the calendar knows at its end. */
export interface Told {
  /** Texts of pool items. */
  items: string[];
  events: readonly Event[];
  kills: number;
  /** When the service was down, in epoch ms of its clock. */
  downs: readonly { from: number; to: number }[];
  restored: Restored | null;
  /** Posts that the restored database did not know. */
  lost: readonly Post[];
}

const HOURS = 24;
const UPGRADE = { day: 10, hour: 9 };
const DISASTER = { day: 20, hour: 14 };
/** People look after what waits. */
const DESK_HOUR = 6;
/** The harness's own platform is down in these hours of these days, and fails at random on bad days. */
const OUTAGE_DAYS = new Set([6, 13, 23]);
const OUTAGE_HOURS = new Set([10, 11, 12]);
const BAD_DAYS = new Set([8, 24]);
const WEEK = 7;
/** More than a week uses, and fewer than a pool may have. */
const ITEMS_A_WEEK = 8;
/** A kill comes at any moment of so many minutes; the service is down until the next hour. */
const MINUTES_BEFORE_KILL = 25;
const KILLED_MINUTES = 10;
const KILL_MS = [30, 1_500] as const;
/** Webhooks are tried for seven hours. */
const LEAST_REST_HOURS = 9;
const MOST_REST_HOURS = 60;

/** What happens in which hour of the month. */
export class Calendar {
  readonly #month: Month;
  readonly #world: World;
  readonly #feed: Feed;
  #items: string[] = [];
  #downs: { from: number; to: number }[] = [];
  #restored: Restored | null = null;
  #lost: Post[] = [];

  constructor(month: Month, world: World) {
    this.#month = month;
    this.#world = world;
    this.#feed = new Feed(world.service);
  }

  get told(): Told {
    return {
      items: this.#items,
      events: this.#feed.events,
      kills: this.#downs.length,
      downs: this.#downs,
      restored: this.#restored,
      lost: this.#lost,
    };
  }

  async play(): Promise<void> {
    const { service, people, platform, random } = this.#world;
    const startedAt = performance.now();
    this.#say(`${this.#month.teams} teams with ten accounts each`);
    for (let day = 0; day < this.#month.days; day++) {
      if (day % WEEK === 0) await this.#fillPools();
      platform.isFaulty = BAD_DAYS.has(day);
      const killHour = random.between(1, HOURS - 1);
      for (let hour = 0; hour < HOURS; hour++) {
        platform.isDown = OUTAGE_DAYS.has(day) && OUTAGE_HOURS.has(hour);
        await this.#beginHour(day, hour);
        await people.post(service, this.#month.postsPerHour);
        if (hour === killHour) await this.#killInTheMiddle();
        else await service.leap(HOUR_MS / MINUTE_MS);
        await service.readBill();
      }
      await this.#feed.read();
      const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
      this.#say(
        `day ${day + 1} is over: ${people.posts.length} posts were accepted, ${minutes} min`,
      );
    }
    platform.isDown = false;
    platform.isFaulty = false;
    await this.#rest();
  }

  async #beginHour(day: number, hour: number): Promise<void> {
    const { service, people, visitors } = this.#world;
    const isIt = (one: { day: number; hour: number }, after = 0) =>
      day === one.day && hour === one.hour + after;
    if (isIt(UPGRADE)) await this.#migrate();
    if (isIt(UPGRADE, 1)) await this.#replaceScript();
    if (isIt(DISASTER)) await this.#loseDatabase();
    if (hour !== DESK_HOUR) return;
    await people.reconnect(service);
    await people.approve(service);
    await visitors.visit(service);
  }

  async #fillPools(): Promise<void> {
    const { service, teams } = this.#world;
    const texts = await inTurn(teams, (team) =>
      fillPool(service, team, ITEMS_A_WEEK, this.#items.length / teams.length),
    );
    this.#items = [...this.#items, ...texts.flat()];
  }

  /** While posts come in, as a deployment does it: the script before works on the new schema for an hour. */
  async #migrate(): Promise<void> {
    const { service, people, scripts } = this.#world;
    const [names] = await Promise.all([
      migrate(service, scripts.today),
      people.post(service, this.#month.postsPerHour),
    ]);
    this.#say(`the state "${scripts.earlier.name}" gets ${names.join(", ")}`);
  }

  async #replaceScript(): Promise<void> {
    const { service, scripts } = this.#world;
    await service.readBill();
    await service.kill();
    await service.start(scripts.today);
    this.#say("the script of today takes over");
  }

  async #loseDatabase(): Promise<void> {
    const { service, people, platform } = this.#world;
    await this.#feed.read();
    const restored = await loseAndRestore(
      service,
      await mkdtemp(join(this.#month.folder, "restored-")),
    );
    this.#restored = restored;
    await this.#feed.readAnew();
    this.#lost = people.posts.filter(({ acceptedAt }) => acceptedAt >= restored.backedUpAt);
    const known = await service.sql("SELECT coalesce(title, description) AS text FROM uploads");
    const texts = new Set(known.map(({ text }) => String(text)));
    const out = new Set((await arrivalsOf(service, platform)).map(({ text }) => text));
    const unsent = this.#lost.filter(({ text }) => !out.has(text) && !texts.has(text));
    await people.sendAgain(service, unsent);
    this.#say(
      `the database is lost, and the backup ${restored.id} restored. ${this.#lost.length} posts were newer; ${unsent.length} of them were not out and are sent again`,
    );
  }

  /** What happens in the rest of the hour happens late. */
  async #killInTheMiddle(): Promise<void> {
    const { service, people, random } = this.#world;
    await service.leap(MINUTES_BEFORE_KILL);
    await service.readBill();
    const cutOff = Promise.allSettled([
      service.leap(KILLED_MINUTES),
      people.post(service, this.#month.postsPerHour),
    ]);
    await sleep(random.between(...KILL_MS));
    await service.kill();
    await cutOff;
    const from = service.now;
    service.now = Math.ceil((from + 1) / HOUR_MS) * HOUR_MS;
    this.#downs.push({ from, to: service.now });
    await service.start();
    await people.repeatUnanswered(service);
  }

  async #rest(): Promise<void> {
    const { service } = this.#world;
    for (let hour = 0; hour < MOST_REST_HOURS; hour++) {
      const [row] = await service.sql(
        "SELECT count(*) AS n FROM uploads WHERE due_at IS NOT NULL AND status <> 'scheduled'",
      );
      if (hour >= LEAST_REST_HOURS && row?.n === 0) break;
      await service.leap(HOUR_MS / MINUTE_MS);
    }
    await this.#feed.read();
    this.#say("everything has come to rest");
  }

  #say(words: string): void {
    console.log(`  ${new Date(this.#world.service.now).toISOString().slice(0, 13)} ${words}`);
  }
}
