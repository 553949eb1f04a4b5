import { signWith } from "../../core/signature.ts";
import { SECOND } from "../../core/time.ts";
import { refusedTarget } from "../../core/webhooks.ts";
import type { Deps } from "../../deps.ts";
import { describeFailure, refusalOf, statusOf } from "./answer.ts";
import { ANSWER_MS, HEADERS } from "./rules.ts";

interface Sendable {
  url: string;
  /** The signature, by the secret as it is now. */
  key: CryptoKey;
  event: string;
  eventId: string;
  payload: string;
}

/** The end of an attempt. Nothing of the receiver's reply is in it but its status. */
export interface Sent {
  success: boolean;
  statusCode: number | null;
  error: string | null;
  durationMs: number;
  isTimeout: boolean;
}

/**
 * Sends a payload once, signed: any answer but 2xx within ten seconds is a failure,
 * redirects included. Source: spec, "Events", delivery rule 1.
 *
 * @param mayProbe answers if one more connection may be made, which tells why there was none
 */
export async function send(deps: Deps, sendable: Sendable, mayProbe: () => boolean): Promise<Sent> {
  const startedAt = deps.now().getTime();
  const end = (result: Omit<Sent, "durationMs" | "isTimeout">, isLate = false): Sent => ({
    ...result,
    durationMs: deps.now().getTime() - startedAt,
    isTimeout: isLate,
  });
  const refusal = refusedTarget(sendable.url, deps.config);
  if (refusal) {
    return end({ success: false, statusCode: null, error: `Not sent: the address ${refusal}.` });
  }
  const timeout = startTimeout();
  try {
    const request = await deliveryRequest(deps, sendable);
    const reply = await deps.fetch(sendable.url, { ...request, signal: timeout.signal });
    const status = await statusOf(reply);
    if (status === null) return end({ success: false, statusCode: null, error: CLOSED });
    const success = status >= 200 && status < 300;
    return end({ success, statusCode: status, error: success ? null : refusalOf(status) });
  } catch (error) {
    if (isTimeout(error)) return end({ success: false, statusCode: null, error: LATE }, true);
    const failure = toError(error);
    const message = mayProbe()
      ? await describeFailure(deps, sendable.url, failure)
      : "The connection failed.";
    return end({ success: false, statusCode: null, error: message });
  } finally {
    timeout.end();
  }
}

/** Aborts as `AbortSignal.timeout` does. It can be ended before: an isolate has 10,000 timers, and keeps each to its end. */
function startTimeout(): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException("No answer in time.", "TimeoutError"));
  const timer = setTimeout(abort, ANSWER_MS);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

const CLOSED = "The connection was closed before an answer.";
const LATE = "No answer within 10 seconds.";

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.name === "TimeoutError";

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

/** The call that delivers an event, signed at this moment. */
export async function deliveryRequest(
  { now }: Pick<Deps, "now">,
  { key, event, eventId, payload }: Omit<Sendable, "url">,
): Promise<RequestInit> {
  const timestamp = String(Math.floor(now().getTime() / SECOND));
  return {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "Akimbo-Webhooks/1.0",
      [HEADERS.event]: event,
      [HEADERS.id]: eventId,
      [HEADERS.timestamp]: timestamp,
      [HEADERS.signature]: await signWith(key, `${timestamp}.${payload}`),
    },
    body: payload,
    redirect: "manual",
  };
}
