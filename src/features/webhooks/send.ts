import { sign } from "../../core/signature.ts";
import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";
import { ANSWER_MS, HEADERS, refusedTarget } from "./rules.ts";

interface Sendable {
  url: string;
  secret: string;
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
 * Sends a payload once, signed by the secret as it is now: any answer but 2xx within ten seconds is a failure,
 * redirects included. Source: spec, "Events", delivery rule 1.
 */
export async function send(deps: Deps, sendable: Sendable): Promise<Sent> {
  const startedAt = deps.now().getTime();
  const end = (result: Omit<Sent, "durationMs" | "isTimeout">, isTimeout = false): Sent => ({
    ...result,
    durationMs: deps.now().getTime() - startedAt,
    isTimeout,
  });
  const refusal = refusedTarget(sendable.url, deps.config);
  if (refusal) {
    return end({ success: false, statusCode: null, error: `Not sent: the address ${refusal}.` });
  }
  try {
    const reply = await deps.fetch(sendable.url, await deliveryRequest(deps, sendable));
    const { status } = reply;
    // Nobody reads it: that frees the connection.
    void reply.body?.cancel().catch(() => {});
    const success = status >= 200 && status < 300;
    return end({ success, statusCode: status, error: success ? null : refusalOf(status) });
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === "TimeoutError";
    const told = isTimeout ? "No answer within 10 seconds." : "The connection failed.";
    return end({ success: false, statusCode: null, error: told }, isTimeout);
  }
}

const refusalOf = (status: number): string =>
  status >= 300 && status < 400
    ? `Answered ${status}: redirects are not followed.`
    : `Answered ${status}.`;

/** The call that delivers an event, signed by the secret at this moment. */
export async function deliveryRequest(
  { now }: Pick<Deps, "now">,
  { secret, event, eventId, payload }: Omit<Sendable, "url">,
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
      [HEADERS.signature]: await sign(secret, `${timestamp}.${payload}`),
    },
    body: payload,
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_MS),
  };
}
