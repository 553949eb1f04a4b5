import { PublishFailure } from "../core/failures.ts";
import type { Fetch } from "../platforms/connector.ts";
import type { CallOrigin } from "./kit/origin.ts";
import { readStateAnswer, withOrigin } from "./kit/state-call.ts";
import { findSimulated } from "./registry.ts";
import { type SandboxState, theSandbox } from "./state.ts";

/** Settles as `work` does, or rejects with the signal's reason as soon as it aborts. */
function abortable<T>(work: Promise<T>, signal: AbortSignal | null): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/**
 * The network as a sandbox account's connector knows it: the simulated platforms and nothing else.
 *
 * It rejects as the real one does: with the signal's reason when it aborts, with a `TypeError` when no
 * simulated platform has that address or the answer was lost.
 *
 * @throws PublishFailure where the post asks for a failure that its platform cannot express
 */
export function createSandboxFetch(
  namespace: DurableObjectNamespace<SandboxState>,
  origin: CallOrigin,
): Fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    signal?.throwIfAborted();
    const url = new URL(request.url);
    if (!findSimulated(url)) {
      throw new TypeError(`The sandbox simulates no platform at ${url.origin}.`);
    }
    const answer = theSandbox(namespace).fetch(withOrigin(request, origin));
    const outcome = await abortable(answer.then(readStateAnswer), signal);
    if (outcome.kind === "dropped") throw new TypeError("Network connection lost.");
    if (outcome.kind === "failure") throw new PublishFailure(outcome.failure);
    // The state has accepted the post; waiting here ends with the caller's deadline.
    if (outcome.afterSeconds > 0) {
      await abortable(scheduler.wait(outcome.afterSeconds * 1_000), signal);
    }
    return outcome.response;
  };
}
