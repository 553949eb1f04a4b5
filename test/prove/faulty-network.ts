import type { Fetch, ReconcileTiming } from "../../src/platforms/connector.ts";
import type { Positions } from "./positions.ts";
import type { ProvingPlatform } from "./proving-platform.ts";
import { RETRY_AFTER_SECONDS } from "./scenarios.ts";
import { SECOND } from "./timetable.ts";
import type { JobCall, WorldOptions } from "./world-options.ts";
import type { Run, Runs } from "./world-runs.ts";

const DEFAULT_DEADLINE_MS = 60 * SECOND;

/** Timeouts of signals, in ms: deadlines are kept in moved time. */
const deadlines = new WeakMap<AbortSignal, number>();

/** Has every deadline that the service sets be kept by `FaultyNetwork`. */
export function moveDeadlines(): void {
  AbortSignal.timeout = (ms: number) => {
    const { signal } = new AbortController();
    deadlines.set(signal, ms);
    return signal;
  };
  AbortSignal.any = (signals: Iterable<AbortSignal>) => {
    const known = [...signals].flatMap((signal) => deadlines.get(signal) ?? []);
    return AbortSignal.timeout(Math.min(...known, DEFAULT_DEADLINE_MS));
  };
}

/** The way to the platform: calls that hang, replies that are lost, acceptances that come late. */
export class FaultyNetwork {
  /** In a scenario: every call that a job made. */
  readonly calls: JobCall[] = [];
  private readonly options: WorldOptions;
  private readonly platform: ProvingPlatform;
  private readonly runs: Runs;
  private readonly positions: Positions;
  private readonly timing: ReconcileTiming;

  constructor(network: {
    options: WorldOptions;
    platform: ProvingPlatform;
    runs: Runs;
    positions: Positions;
    timing: ReconcileTiming;
  }) {
    this.options = network.options;
    this.platform = network.platform;
    this.runs = network.runs;
    this.positions = network.positions;
    this.timing = network.timing;
  }

  /** Returns the `fetch` of a run. */
  of(run: Run): Fetch {
    const { runs } = this;
    const { time, random, chaos } = runs;
    return async (input, init) => {
      runs.refuseDead(run);
      const signal = init?.signal ?? null;
      const deadlineMs = (signal && deadlines.get(signal)) ?? DEFAULT_DEADLINE_MS;
      const call = await this.platform.read(new Request(input, { ...init, signal: null }));
      await time.sleep();
      runs.refuseDead(run);
      const startedAt = time.now;
      const place = this.positions.placeCall(`call ${call.kind}`, call.text, run.subjects);
      await runs.disturb(run, place, "before");
      if (time.now - startedAt >= deadlineMs) throw timedOut();

      const { acceptSeconds, listSeconds } = this.timing;
      const lagMs = () => random.between(0, Math.max(0, listSeconds) * SECOND);
      const fault = chaos.onCall(call.kind, place, startedAt, call.text);
      const [upload] = run.subjects;
      if (this.options.scenario && upload?.startsWith("#")) {
        const part = this.positions.of(upload);
        this.calls.push({ upload, part, kind: call.kind, at: startedAt, fault });
      }
      runs.tell(`${run.what} ${place.step} "${call.text}" within ${deadlineMs} ms: ${fault}`);
      if (fault === "late acceptance") {
        // The latest moments are the dangerous ones.
        const accept = this.options.subject === "hasty" ? 60 : acceptSeconds;
        const lateMs = random.chance(chaos.latestShare)
          ? accept * SECOND
          : random.between(0, accept * SECOND);
        const acceptedAt = startedAt + deadlineMs + lateMs;
        await time.sleep(Math.max(0, startedAt + deadlineMs - time.now));
        await call.answer(acceptedAt, acceptedAt + lagMs());
        runs.refuseDead(run);
        throw timedOut();
      }
      if (fault === "hang") {
        await time.sleep(Math.max(0, startedAt + deadlineMs - time.now));
        runs.refuseDead(run);
        throw timedOut();
      }
      await time.sleep(Math.min(random.between(20, 2_000), deadlineMs));
      if (fault === "rate limited") return rateLimited(time.now);
      if (fault === "5xx before") return Response.json({ error: "Unavailable" }, { status: 503 });
      if (fault === "token refused") return call.refuseToken();
      const { now } = time;
      const answer = await call.answer(now, now + (fault === "none" ? 0 : lagMs()));
      await runs.disturb(run, place, "after");
      runs.refuseDead(run);
      if (fault === "reply dropped") throw new TypeError("Network connection lost.");
      if (fault === "5xx after") return Response.json({ error: "Crashed" }, { status: 500 });
      if (time.now - startedAt >= deadlineMs) throw timedOut();
      return answer;
    };
  }
}

/** As the platforms say it, each in its own header. */
const rateLimited = (now: number): Response =>
  Response.json(
    { error: "RateLimitExceeded", message: "Rate Limit Exceeded" },
    {
      status: 429,
      headers: {
        "retry-after": String(RETRY_AFTER_SECONDS),
        "x-rate-limit-reset": String(Math.ceil(now / SECOND) + RETRY_AFTER_SECONDS),
      },
    },
  );

const timedOut = () => new DOMException("The operation timed out.", "TimeoutError");
