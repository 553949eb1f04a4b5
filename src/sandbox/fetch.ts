import { PublishFailure } from "../core/failures.ts";
import type { Fetch } from "../platforms/connector.ts";
import type { CallOrigin } from "./kit/origin.ts";
import { readStateAnswer, withOrigin } from "./kit/state-call.ts";
import { findSimulated } from "./registry.ts";
import { type SandboxState, theSandbox } from "./state.ts";

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
 * Reaches only simulated platforms. Rejects with the signal's reason on abort, and with a `TypeError` for an unknown
 * host or a lost answer.
 *
 * @throws PublishFailure when the post requests a failure without a platform error
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
    if (!findSimulated(url, null)) {
      throw new TypeError(`The sandbox simulates no platform at ${url.origin}.`);
    }
    const answer = theSandbox(namespace).fetch(withOrigin(request, origin));
    const outcome = await abortable(answer.then(readStateAnswer), signal);
    if (outcome.kind === "dropped") throw new TypeError("Network connection lost.");
    if (outcome.kind === "failure") throw new PublishFailure(outcome.failure);
    // The caller's deadline limits this delay of the answer.
    if (outcome.afterSeconds > 0) {
      await abortable(scheduler.wait(outcome.afterSeconds * 1_000), signal);
    }
    return outcome.response;
  };
}
