import { HOUR, SECOND } from "../../core/time.ts";
import { encryptPush, vapidAuthorization } from "../../core/web-push.ts";
import { refusedTarget } from "../../core/webhooks.ts";
import type { Deps } from "../../deps.ts";
import { hasMailer, sendMail } from "../mail/service.ts";
import { chatKindOf, reasonIn, secondsToWait, toMessage } from "./chats.ts";
import { ANSWER_MS } from "./rules.ts";
import { type Browser, openTarget } from "./secrets.ts";
import type { TargetRow } from "./table.ts";
import { type Occurrence, toMail, toPush } from "./words.ts";

/** `gone`: the target will never accept a message again. */
export type Sent =
  | { kind: "taken" | "gone" }
  | { kind: "refused"; error: string }
  | { kind: "unanswered"; error: string; askedMs?: number };

type Several = readonly [Occurrence, ...Occurrence[]];

export async function sendByMail(deps: Deps, to: string, all: Several): Promise<Sent> {
  const isSent = await sendMail(deps, { to, ...toMail(all) });
  return isSent || !hasMailer(deps)
    ? { kind: "taken" }
    : { kind: "unanswered", error: "The mail could not be sent." };
}

export async function sendToTarget(deps: Deps, target: TargetRow, all: Several): Promise<Sent> {
  let secret: string;
  try {
    secret = await openTarget(deps, target);
  } catch {
    deps.log({ event: "notices.target_unreadable", targetId: target.id });
    return { kind: "refused", error: "Its secret cannot be read. Set it up again." };
  }
  return target.channel === "push"
    ? sendPush(deps, JSON.parse(secret) as Browser, all)
    : sendChat(deps, secret, all);
}

function sendChat(deps: Deps, address: string, all: Several): Promise<Sent> {
  const { url, body } = toMessage(address, all);
  const headers = { "Content-Type": "application/json" };
  // Another service might say the address, which is a secret.
  const tellsReason = chatKindOf(address) !== "other";
  return post(deps, url, { headers, body: JSON.stringify(body), tellsReason });
}

/** Push services keep messages this long for offline browsers. */
const KEPT_SECONDS = (24 * HOUR) / SECOND;
/** Statuses of an ended subscription. Source: RFC 8030, section 7.3; observed answers. */
const GONE = [404, 410];

async function sendPush(deps: Deps, browser: Browser, all: Several): Promise<Sent> {
  const { vapid, emailFrom, publicUrl } = deps.config;
  if (!vapid) return { kind: "refused", error: "This instance has no keys for push." };
  const { endpoint, keys, origin } = browser;
  const contact = emailFrom ? `mailto:${emailFrom}` : (publicUrl ?? origin);
  const now = deps.now();
  const sent = await post(deps, endpoint, {
    headers: {
      Authorization: await vapidAuthorization(vapid, { endpoint, contact, now }),
      "Content-Encoding": "aes128gcm",
      "Content-Type": "application/octet-stream",
      TTL: String(KEPT_SECONDS),
      Urgency: "normal",
    },
    body: await encryptPush(keys, JSON.stringify(toPush(all))),
  });
  return sent.kind === "refused" &&
    GONE.some((status) => sent.error.startsWith(`It answered ${status}`))
    ? { kind: "gone" }
    : sent;
}

const answered = (status: number, reason: string | null = null): string =>
  reason === null
    ? `It answered ${status}.`
    : `It answered ${status}: ${reason.replace(/\.?$/, ".")}`;

/** After these statuses, as after 5xx, a retry may succeed. */
const TEMPORARY = [408, 425, 429];

async function post(
  deps: Deps,
  url: string,
  {
    headers,
    body,
    tellsReason = false,
  }: { headers: Record<string, string>; body: BodyInit; tellsReason?: boolean },
): Promise<Sent> {
  const refusal = refusedTarget(url, deps.config);
  if (refusal) return { kind: "refused", error: `Its address ${refusal}.` };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const init = { method: "POST", headers, body, redirect: "manual", signal } as const;
  try {
    const answer = await deps.fetch(url, init);
    const { status, headers: reply } = answer;
    if (status >= 200 && status < 300) {
      void answer.body?.cancel().catch(() => {});
      return { kind: "taken" };
    }
    const said = await readBeginning(answer);
    if (status < 500 && !TEMPORARY.includes(status)) {
      return { kind: "refused", error: answered(status, tellsReason ? reasonIn(said) : null) };
    }
    const asked = readRetryAfter(reply.get("retry-after"));
    const askedMs = Math.max(asked, Math.min(secondsToWait(said) * SECOND, HOUR));
    return { kind: "unanswered", error: answered(status), askedMs };
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === "TimeoutError";
    return {
      kind: "unanswered",
      error: isTimeout ? "It did not answer within 10 seconds." : "The connection failed.",
    };
  }
}

const MAX_ANSWER_BYTES = 2_000;

async function readBeginning({ body }: Response): Promise<string> {
  if (!body) return "";
  const reader = body.getReader();
  const { value } = await reader.read();
  void reader.cancel().catch(() => {});
  return new TextDecoder().decode(value?.subarray(0, MAX_ANSWER_BYTES));
}

/** From Retry-After seconds to ms, at most an hour; 0 for other values. */
const readRetryAfter = (header: string | null): number =>
  /^\d{1,6}$/.test(header ?? "") ? Math.min(Number(header) * SECOND, HOUR) : 0;
