import { describeNetworkError, TemporaryProblem } from "./retry.ts";

const TIMEOUT_MS = 120_000;

export interface SimulatedTime {
  /** Sets the clock's offset from real time. */
  moveTo(offsetSeconds: number): Promise<void>;
  /** Moves the clock to an instant and runs the schedule for `ticks` minutes. */
  leapTo(at: Date, ticks?: number): Promise<void>;
  /** Simulates a post from the platform's own app. Returns false while the account has no posts. */
  postByHand(at: Date, accountId: string, text: string): Promise<boolean>;
}

export function simulatedTimeOf(origin: string): SimulatedTime {
  const post = async (path: string, body: object): Promise<number> => {
    const response = await fetch(`${origin}/sandbox/api/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: unknown) => {
      throw new TemporaryProblem(`${origin} cannot be reached: ${describeNetworkError(error)}`);
    });
    const text = await response.text();
    if (response.ok || response.status === 404) return response.status;
    throw new TemporaryProblem(
      `POST /sandbox/api/${path}: ${response.status} ${text.slice(0, 200)}`,
    );
  };
  return {
    moveTo: async (offsetSeconds) => void (await post("clock", { offsetSeconds })),
    leapTo: async (at, ticks = 1) => void (await post("clock", { at, ticks })),
    postByHand: async (at, accountId, text) =>
      (await post("posts", { at, accountId, text })) === 200,
  };
}
