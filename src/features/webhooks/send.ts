import { signWith } from "../../core/signature.ts";
import { SECOND } from "../../core/time.ts";
import { ANSWER_MS, HEADERS, refusedTarget } from "../../core/webhooks.ts";
import type { Deps } from "../../deps.ts";
import { beginningOf, describeFailure, refusalOf, statusOf } from "./answer.ts";

interface Sendable {
  url: string;
  key: CryptoKey;
  event: string;
  eventId: string;
  payload: string;
}

export interface Sent {
  success: boolean;
  statusCode: number | null;
  error: string | null;
  durationMs: number;
  /** The beginning of the body, where the status is a failure. */
  answer: string | null;
  isTimeout: boolean;
}

/**
 * Any answer but 2xx within ten seconds is a failure, redirects included. Source: spec, "Events", delivery rule 1.
 *
 * @param mayProbe returns true when another connection may be made to explain a failure
 */
export async function send(deps: Deps, sendable: Sendable, mayProbe: () => boolean): Promise<Sent> {
  const startedAt = deps.now().getTime();
  const end = (result: Pick<Sent, "success" | "statusCode" | "error">, isLate = false): Sent => ({
    ...result,
    answer: null,
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
    if (status >= 200 && status < 300) {
      void reply.body?.cancel().catch(() => {});
      return end({ success: true, statusCode: status, error: null });
    }
    const refused = end({ success: false, statusCode: status, error: refusalOf(status) });
    return { ...refused, answer: await beginningOf(reply) };
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

/** Can be ended early, unlike `AbortSignal.timeout`: an isolate has at most 10,000 timers. */
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
