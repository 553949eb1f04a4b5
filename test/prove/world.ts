import { sql } from "drizzle-orm";
import { createApp } from "../../src/app.ts";
import { createRandom } from "../../src/cli/random.ts";
import { runSchedule } from "../../src/cron/schedule.ts";
import { type Query, type Results, sqlQuery, sqlWrite } from "../../src/db/client.ts";
import { createDeps, type Deps, type Env } from "../../src/deps.ts";
import { consume } from "../../src/queue/consumer.ts";
import type { PublishMessage } from "../../src/queue/messages.ts";
import { theSandbox } from "../../src/sandbox/state.ts";
import { queueTo } from "../support/queue.ts";
import { uploadIn } from "./boundaries.ts";
import { Chaos } from "./chaos.ts";
import { CAP, platformOf, publishLike } from "./connectors.ts";
import { readDatabase, readLeaks } from "./evidence.ts";
import { FaultyNetwork, moveDeadlines } from "./faulty-network.ts";
import { FaultyQueue } from "./faulty-queue.ts";
import type { Arrival, Evidence } from "./findings.ts";
import { addParts, type Following, followingOf, hasThreads, NOTHING } from "./parts.ts";
import { StrictPlatform } from "./platform.ts";
import { Positions } from "./positions.ts";
import { findProtocol } from "./protocols.ts";
import type { ProvingPlatform } from "./proving-platform.ts";
import { Scenario } from "./scenarios.ts";
import { SimulatedPlatform } from "./simulated-platform.ts";
import { createTeam, TEAM_ID } from "./team.ts";
import { HOUR, MINUTE, SECOND, START, Timetable } from "./timetable.ts";
import { TOKEN } from "./token.ts";
import { LATE_LISTING, type WorldOptions, type WorldReport } from "./world-options.ts";
import { Run, Runs } from "./world-runs.ts";

/** Uploads come in over this long. */
const LOAD_MS = 40 * MINUTE;
const CHAOS_MS = 3 * HOUR;
const REST_MS = 4 * HOUR;
const POSTS_PER_ACCOUNT = 10;
/** Where a run that dies loses a refresh that works only once. */
const REFRESH_ONCE = ["call refresh after", "refresh stored before"];
const CONTROL_LEASE_MS = 5 * SECOND;
const STORY_LINES = 60;

interface Target {
  name: string;
  accountId: string;
}

/** The whole service in moved time, and everything that can go wrong around it. */
export class World {
  private readonly options: WorldOptions;
  private readonly base: Deps;
  private readonly random;
  private readonly time: Timetable;
  private readonly chaos: Chaos;
  private readonly platform: ProvingPlatform;
  private readonly refreshesOnce: boolean;
  private readonly runs: Runs;
  private readonly network: FaultyNetwork;
  private readonly queue: FaultyQueue;
  private readonly positions = new Positions();
  private readonly cap: number;
  private readonly poisoned = new Set<number>();
  private readonly acknowledged: number[] = [];

  constructor(env: Env, options: WorldOptions) {
    moveDeadlines();
    this.options = options;
    this.base = createDeps(env);
    this.random = createRandom(options.seed);
    this.time = new Timetable(START, this.random);
    this.refreshesOnce =
      findProtocol(options.subject)?.refreshesOnce ?? options.subject === "stepwise";
    const { scenario, crashesPerBoundary } = options;
    this.chaos = scenario
      ? new Scenario(scenario, this.random, START)
      : new Chaos(this.random, crashesPerBoundary, this.refreshesOnce ? REFRESH_ONCE : []);
    this.platform = this.createPlatform(env);
    this.runs = new Runs(this.time, this.random, this.chaos);
    const hasLongPosts = options.hasParts && hasThreads(platformOf(options.subject));
    this.cap = hasLongPosts ? CAP.threads : CAP.posts;
    this.network = new FaultyNetwork({
      options,
      platform: this.platform,
      runs: this.runs,
      positions: this.positions,
      timing: publishLike(options.subject, this.cap),
    });
    this.queue = new FaultyQueue(this.runs, this.acknowledged, (run, batch) =>
      consume(this.depsOf(run), batch),
    );
  }

  private createPlatform(env: Env): ProvingPlatform {
    const protocol = findProtocol(this.options.subject);
    if (!protocol) return new StrictPlatform(() => this.time.now, this.refreshesOnce);
    const run = String(this.options.seed);
    return new SimulatedPlatform(protocol, theSandbox(env.SANDBOX_STATE), this.time, run);
  }

  async play(): Promise<WorldReport> {
    const { isCalm = false } = this.options;
    this.plan(await this.setUp());
    this.chaos.isOn = !isCalm;
    this.scheduleTick(START + MINUTE);
    await this.live(LOAD_MS / 2);
    this.chaos.isOn = false;
    const left = isCalm ? 0 : await this.emptyQueue();
    this.chaos.isOn = !isCalm;
    while (this.time.now < START + LOAD_MS || (await this.isBusy())) {
      if (this.time.now > START + CHAOS_MS) break;
      await this.live(MINUTE);
    }
    this.chaos.isOn = false;
    const end = this.time.now + REST_MS;
    while (this.time.now < end && (await this.isBusy())) await this.live(MINUTE);
    const evidence = await this.evidence(left);
    return {
      evidence,
      crashes: this.chaos.crashes,
      faults: { ...this.chaos.faults, [LATE_LISTING]: this.platform.lateListings },
      delays: this.delaysOf(evidence.arrivals),
      calls: this.network.calls,
      leaks: await readLeaks(this.base),
      story: this.story(evidence.arrivals),
    };
  }

  private readonly wantedAt = new Map<string, number>();

  private delaysOf(arrivals: readonly Arrival[]): number[] {
    const delays = arrivals.map(({ text, at }) => at - (this.wantedAt.get(text) ?? at));
    return delays.sort((a, b) => a - b);
  }

  private async live(ms: number): Promise<void> {
    const until = this.time.now + ms;
    while (this.time.now < until && (await this.time.advance()));
  }

  private async isBusy(): Promise<boolean> {
    const waiting = sqlQuery(
      sql`SELECT COUNT(*) AS n FROM uploads WHERE due_at IS NOT NULL`,
      (row) => Number(row.n),
    );
    const [[count = 0]] = await this.base.db.run([waiting]);
    return count > 0 || this.runs.active > 0 || this.time.count("message") > 0;
  }

  private async setUp(): Promise<Target[]> {
    await createTeam(this.base);
    await theSandbox(this.base.sandbox).reset(TEAM_ID);
    const app = createApp(() => this.depsOf(new Run("set-up", [])));
    const count = Math.ceil(this.options.uploads / POSTS_PER_ACCOUNT) + 1;
    const targets: Target[] = [];
    for (let i = 0; i < count; i++) {
      const name = `a${i}`;
      const account = await this.platform.account(name);
      const answer = await this.whole(async () => {
        const reply = await app.fetch(
          new Request("https://akimbo.test/api/v1/accounts", {
            method: "POST",
            headers: { "x-api-key": TOKEN, "content-type": "application/json" },
            body: JSON.stringify(account),
          }),
        );
        return (await reply.json()) as { data?: { id: string } };
      });
      if (!answer.data) throw new Error(`Connecting: ${JSON.stringify(answer)}`);
      targets.push({ name, accountId: answer.data.id });
    }
    return targets;
  }

  /** Lets time run until `work` is done. */
  private async whole<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    this.time.at(this.time.now, "load", () => {
      this.runs.track(work().then(resolve, reject), end);
    });
    while (!isDone && (await this.time.advance()));
    return promise;
  }

  private plan(targets: Target[]): void {
    const [capped, ...others] = targets;
    for (let i = 0; i < this.options.uploads; i++) {
      const isPoison = i % 100 === 50 && this.options.hasPoison !== false;
      const isForbidden = i % 25 === 7;
      const kind = isPoison ? "poison" : isForbidden ? (i % 2 ? "held" : "draft") : "plain";
      const isLater = kind === "plain" && this.random.chance(0.1);
      const at = START + this.random.between(0, LOAD_MS);
      const dueInMs = isLater ? this.random.between(MINUTE, HOUR) : null;
      const target = others[Math.floor(i / POSTS_PER_ACCOUNT)];
      this.time.at(at, "load", () => this.create(i, target, kind, dueInMs));
    }
    const crowd = this.options.scenario ? 0 : this.cap + 6;
    for (let i = 0, posts = 0; posts < crowd; posts += 1 + this.followingOf(i).posts, i++) {
      const at = START + this.random.between(0, LOAD_MS);
      this.time.at(at, "load", () => this.create(i, capped, "crowded", null));
    }
  }

  private followingOf(i: number): Following {
    return this.options.hasParts ? followingOf(platformOf(this.options.subject), i) : NOTHING;
  }

  private create(
    i: number,
    target: Target | undefined,
    kind: string,
    dueInMs: number | null,
  ): void {
    if (!target) throw new Error("There is no account to post to.");
    const text = `Post ${i} ${kind}`;
    this.wantedAt.set(text, this.time.now + (dueInMs ?? 0));
    const run = new Run(`create ${text}`, [`create ${text}`]);
    run.onCreated = () => this.mark(text, kind);
    const app = createApp(() => this.depsOf(run));
    const fields = new FormData();
    fields.set("accountId", target.accountId);
    if (kind === "draft") fields.set("status", "draft");
    if (dueInMs !== null) {
      fields.set("schedule_date", new Date(this.time.now + dueInMs).toISOString());
    }
    const call = async () => {
      await this.platform.fill(fields, text, i, target.name);
      addParts(fields, text, this.followingOf(i));
      const answer = await app.fetch(
        new Request("https://akimbo.test/api/v1/upload", {
          method: "POST",
          headers: { "x-api-key": TOKEN },
          body: fields,
        }),
      );
      const body = (await answer.json()) as { data?: { uploadId?: number; id?: number } };
      const id = body.data?.uploadId ?? body.data?.id;
      if (answer.ok && !run.isDead && id) this.acknowledged.push(id);
    };
    this.runs.track(call());
  }

  /** Makes posts that no route makes yet: one approved with other content, a poisoned one. */
  private async mark(text: string, kind: string): Promise<void> {
    if (kind === "plain" || kind === "crowded") return;
    const find = sqlQuery(
      sql`SELECT id FROM uploads WHERE coalesce(description, title) = ${text}`,
      (row) => Number(row.id),
    );
    const hold = sqlWrite(
      sql`UPDATE uploads SET approved_hash = 'of other content'
        WHERE coalesce(description, title) = ${text} AND ${kind} = 'held'`,
    );
    const [[id]] = await this.base.db.run([find, hold]);
    if (id === undefined) return;
    if (kind === "poison") this.poisoned.add(id);
    if (kind === "draft") this.queue.send({ kind: "publish", uploadId: id }, 0);
  }

  private story(arrivals: readonly Arrival[]): string[] {
    const seen = new Set<string>();
    const twice = arrivals.find(({ text }) => seen.size === seen.add(text).size);
    if (!twice) return [];
    const { text } = twice;
    const id = this.ids.get(text);
    const isOurs = (line: string) => line.includes(text) || line.includes(` #${id} `);
    return this.runs.lines.filter(isOurs).slice(0, STORY_LINES);
  }

  private readonly ids = new Map<string, number>();

  /** `Deps` as they are, with a turn and a chance to break at every step. */
  private depsOf(run: Run): Deps {
    const runAll = <T>(queries: readonly Query<T>[]) => this.database(run, queries);
    return {
      ...this.base,
      now: () => new Date(this.time.now),
      wait: async () => {},
      db: {
        runAll,
        run: async (queries) => (await runAll<unknown>(queries)) as Results<typeof queries>,
      },
      publishQueue: queueTo<PublishMessage>((sent, call) =>
        this.runs.step(run, call, async () => {
          for (const { message, delaySeconds } of sent) this.queue.send(message, delaySeconds);
        }),
      ),
      fetch: this.network.of(run),
      defer: (work) => void work.catch(() => {}),
      log: (entry) => {
        if (entry.event === "publish.lost_lease")
          this.chaos.count("late write dropped by its fence");
      },
    };
  }

  private async database<T>(run: Run, queries: readonly Query<T>[]): Promise<T[]> {
    const place = this.positions.place(queries, run.subjects);
    const { step } = place;
    const isPoisoned = queries.some((query) => this.poisoned.has(uploadIn(query) ?? 0));
    return this.runs.step(
      run,
      place,
      async () => {
        if (this.chaos.isAway(this.time.now)) {
          this.chaos.count("database away");
          throw new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long.");
        }
        if (
          step === "intent" &&
          isPoisoned &&
          !this.options.scenario &&
          (this.chaos.isOn || this.options.isCalm)
        ) {
          this.chaos.count("poison");
          throw new Error("D1_ERROR: this row cannot be written.");
        }
        const results = await this.base.db.runAll(queries);
        this.positions.follow(queries, results);
        if (step === "create") await run.onCreated();
        if (step !== "read") this.runs.tell(`${run.what} ${step}: ${JSON.stringify(results[0])}`);
        if (this.options.subject === "hasty") await this.shortenLeases();
        return results;
      },
      true,
    );
  }

  private async shortenLeases(): Promise<void> {
    const until = this.time.now + CONTROL_LEASE_MS;
    await this.base.db.run([
      sqlWrite(sql`UPDATE uploads SET lease_until = ${until} WHERE lease_until > ${until}`),
    ]);
  }

  /** The next minute's tick: on time, late, twice or not at all. */
  private scheduleTick(at: number): void {
    this.time.at(at, "tick", () => {
      this.scheduleTick(at + MINUTE);
      const isMissing = this.chaos.isOn && this.random.chance(0.15);
      const isLate = this.chaos.isOn && this.random.chance(0.1);
      const times = this.chaos.isOn && this.random.chance(0.15) ? 2 : 1;
      if (isMissing) return this.chaos.count("tick missing");
      if (isLate) this.chaos.count("tick late");
      if (times === 2) this.chaos.count("tick doubled");
      for (let i = 0; i < times; i++) {
        const inMs = isLate ? this.random.between(0, 10 * MINUTE) : 0;
        this.time.at(this.time.now + inMs, "tick", () => {
          const run = new Run("sweep", [`sweep ${at}`]);
          this.runs.track(runSchedule(this.depsOf(run)));
        });
      }
    });
  }

  /** All messages gone at once; what two sweeps do not bring back is left lying. */
  private async emptyQueue(): Promise<number> {
    const free = sqlQuery(
      sql`SELECT id, fence FROM uploads WHERE due_at <= ${this.time.now}
        AND (lease_until IS NULL OR lease_until <= ${this.time.now})`,
      (row) => ({ id: Number(row.id), fence: Number(row.fence) }),
    );
    this.chaos.count("queue emptied of messages", this.time.forget("message"));
    const [before] = await this.base.db.run([free]);
    await this.live(2 * MINUTE + 10 * SECOND);
    const [after] = await this.base.db.run([free]);
    const fences = new Map(after.map(({ id, fence }) => [id, fence]));
    const left = before.filter(({ id, fence }) => fences.get(id) === fence);
    return left.length;
  }

  private async evidence(left: number): Promise<Evidence> {
    const { uploads, events } = await readDatabase(this.base.db);
    for (const { id, text, parts } of uploads) {
      for (const one of [text, ...parts.map((part) => part.text)]) this.ids.set(one, id);
    }
    const arrivals = await this.platform.arrivals();
    return { uploads, events, arrivals, left, cap: this.cap, acknowledged: this.acknowledged };
  }
}
