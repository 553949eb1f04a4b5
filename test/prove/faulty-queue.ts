import type { PublishMessage } from "../../src/queue/messages.ts";
import { SECOND } from "./timetable.ts";
import { Run, type Runs } from "./world-runs.ts";

/** As wrangler.toml says. */
const BATCH_SIZE = 5;
const MAX_RETRIES = { "akimbo-publish": 5, "akimbo-dead-letters": 10 };
const PUBLISH = "akimbo-publish";
const DEAD_LETTERS = "akimbo-dead-letters";

type QueueName = typeof PUBLISH | typeof DEAD_LETTERS;

/** The queue, which keeps no order, doubles and loses. */
export class FaultyQueue {
  private readonly runs: Runs;
  private readonly known: readonly number[];
  private readonly consume: (run: Run, batch: MessageBatch) => Promise<unknown>;

  /** @param known ids of posts that may be delivered along with others; more come as the world goes on */
  constructor(
    runs: Runs,
    known: readonly number[],
    consume: (run: Run, batch: MessageBatch) => Promise<unknown>,
  ) {
    this.runs = runs;
    this.known = known;
    this.consume = consume;
  }

  /** Puts a message into the queue. */
  send(message: PublishMessage, delaySeconds: number): void {
    const { random, chaos } = this.runs;
    const { lossShare, copies, jitterMs } = chaos.queue;
    if (random.chance(lossShare)) {
      chaos.count("message lost");
      return;
    }
    for (let i = 0; i < copies; i++) {
      const lateMs = random.between(0, jitterMs);
      this.deliverAt(PUBLISH, [message.uploadId], delaySeconds * SECOND + lateMs, 1);
    }
    chaos.count("message doubled", copies - 1);
  }

  private deliverAt(queue: QueueName, ids: number[], inMs: number, attempts: number): void {
    const { time } = this.runs;
    time.at(time.now + inMs, "message", () => this.deliver(queue, ids, attempts));
  }

  private deliver(queue: QueueName, ids: number[], attempts: number): void {
    const { time, random, chaos } = this.runs;
    // Now and then several at once, as a full queue does.
    const extra = random.chance(chaos.batchShare) ? this.waitingIds(BATCH_SIZE - 1) : [];
    const all = [...ids, ...extra];
    const run = new Run(
      `run of #${all.join(" #")} `,
      all.map((id) => `#${id}`),
    );
    const settled = new Map<number, () => void>();
    const redeliver = (id: number, inMs: number) => {
      const isSpent = attempts > MAX_RETRIES[queue];
      if (!isSpent) this.deliverAt(queue, [id], inMs, attempts + 1);
      else if (queue === PUBLISH) this.deliverAt(DEAD_LETTERS, [id], inMs, 1);
    };
    const messages = all.map((uploadId, i) => ({
      id: String(i),
      timestamp: new Date(time.now),
      body: { kind: "publish", uploadId },
      attempts,
      ack: () => settled.set(i, () => {}),
      retry: (options?: QueueRetryOptions) =>
        settled.set(i, () => redeliver(uploadId, (options?.delaySeconds ?? 0) * SECOND)),
    }));
    const strands = all.length;
    // Each message is a strand of its own; the batch as a whole ends with its last.
    time.begin(strands - 1);
    const batch = { queue, messages } as unknown as MessageBatch;
    for (const message of messages) {
      const { ack, retry } = message;
      let isOver = false;
      const over = () => {
        if (isOver) return;
        isOver = true;
        ended++;
        if (ended < strands) time.end();
      };
      message.ack = () => {
        const result = ack();
        over();
        return result;
      };
      message.retry = (options) => {
        const result = retry(options);
        over();
        return result;
      };
    }
    let ended = 0;
    this.runs.track(this.consume(run, batch), () => {
      if (!run.isDead) {
        for (const finish of settled.values()) finish();
        return;
      }
      // The queue of a killed runtime is gone; that of the network delivers again.
      for (const id of all) {
        if (random.chance(0.5)) redeliver(id, random.between(0, 60 * SECOND));
        else chaos.count("message lost in a crash");
      }
    });
  }

  private waitingIds(max: number): number[] {
    const { random } = this.runs;
    const { known } = this;
    const count = Math.min(max, known.length);
    return Array.from({ length: count }, () => known[random.between(0, known.length - 1)] ?? 0);
  }
}
