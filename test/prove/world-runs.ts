import type { Random } from "../../src/cli/random.ts";
import type { Chaos, Side } from "./chaos.ts";
import type { Place } from "./positions.ts";
import { SECOND, START, type Timetable } from "./timetable.ts";

class Crash extends Error {}

/** One invocation. Once it has crashed, nothing that it does has an effect. */
export class Run {
  isDead = false;
  readonly what: string;
  readonly subjects: string[];
  /** Called in the very moment in which the post is stored. */
  onCreated: () => Promise<void> = async () => {};

  constructor(what: string, subjects: string[]) {
    this.what = what;
    this.subjects = subjects;
  }
}

/** The runs of the service: each step waits for its turn and may break, and the log tells of it. */
export class Runs {
  readonly lines: string[] = [];
  active = 0;
  readonly time: Timetable;
  readonly random: Random;
  readonly chaos: Chaos;

  constructor(time: Timetable, random: Random, chaos: Chaos) {
    this.time = time;
    this.random = random;
    this.chaos = chaos;
  }

  track(work: Promise<unknown>, onEnd: () => void = () => {}): void {
    this.active++;
    this.time.begin();
    void work
      .catch((error: unknown) => {
        if (!(error instanceof Crash)) this.tell(`ended: ${String(error)}`);
      })
      .finally(() => {
        this.active--;
        onEnd();
        this.time.end();
      });
  }

  tell(line: string): void {
    this.lines.push(`${((this.time.now - START) / SECOND).toFixed(1)}s ${line}`);
  }

  /** Executes a step of a run, which may break before it and after it. */
  async step<T>(
    run: Run,
    name: string | Place,
    execute: () => Promise<T>,
    isDatabase = false,
  ): Promise<T> {
    const place = typeof name === "string" ? { step: name, subjects: run.subjects } : name;
    this.refuseDead(run);
    await this.time.sleep();
    this.refuseDead(run);
    await this.disturb(run, place, "before", isDatabase);
    const result = await execute();
    await this.disturb(run, place, "after", isDatabase);
    return result;
  }

  refuseDead(run: Run): void {
    if (run.isDead) throw new Crash();
  }

  async disturb(
    run: Run,
    { step, subjects }: Place,
    side: Side,
    isDatabase = false,
  ): Promise<void> {
    const disturbance = this.chaos.at(step, side, subjects, isDatabase);
    if (disturbance.kind === "none") return;
    this.tell(`${run.what} ${step} ${side}: ${JSON.stringify(disturbance)}`);
    if (disturbance.kind === "pause") {
      await this.time.sleep(disturbance.ms);
      this.refuseDead(run);
      return;
    }
    if (disturbance.kind === "lost") throw new Error("D1_ERROR: Network connection lost.");
    run.isDead = true;
    throw new Crash();
  }
}
