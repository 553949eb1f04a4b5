import type { Deps } from "../../deps.ts";

const MAX_BYTES = 16_384;
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: .*)?$/;

/**
 * Returns null when only interim answers arrive: the Workers runtime takes an interim answer such as 100 Continue for
 * the final one, and gives what follows as its body.
 */
export async function statusOf({ status, body }: Response): Promise<number | null> {
  if (status >= 200) return status;
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return null;
  try {
    for (let text = "", isOver = false; !isOver && text.length < MAX_BYTES; ) {
      const { value = "", done } = await reader.read();
      text += value;
      isOver = done;
      const final = finalStatus(done ? text : text.slice(0, text.lastIndexOf("\n") + 1));
      if (final !== null) return final;
    }
    return null;
  } finally {
    void reader.cancel().catch(() => {});
  }
}

const SHOWN_CHARACTERS = 500;

/** Line ends and tabs stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** Reads what comes first of a body; the rest is not waited for. Null for none. */
export async function beginningOf({ body, bodyUsed }: Response): Promise<string | null> {
  if (!body || bodyUsed) return null;
  const reader = body.getReader();
  try {
    const { value } = await reader.read();
    const text = new TextDecoder().decode(value?.subarray(0, MAX_BYTES)).replace(CONTROLS, "");
    return [...text.trim()].slice(0, SHOWN_CHARACTERS).join("") || null;
  } catch {
    return null;
  } finally {
    void reader.cancel().catch(() => {});
  }
}

function finalStatus(text: string): number | null {
  for (const line of text.split(/\r?\n/)) {
    const status = Number(STATUS_LINE.exec(line)?.[1] ?? 0);
    if (status >= 200) return status;
  }
  return null;
}

/** For an unreachable origin. Source: Cloudflare, "Cloudflare 5xx errors". */
const EDGE_ANSWERS: Record<number, string> = {
  521: "the connection was refused",
  522: "the connection was not accepted in time",
  523: "the address cannot be reached",
  524: "the connection was accepted, and no answer came in time",
  525: "the TLS handshake failed",
  526: "the TLS certificate is not valid",
  530: "the name of the address was not found",
};

export function refusalOf(status: number): string {
  const reason =
    status >= 300 && status < 400 ? "redirects are not followed" : EDGE_ANSWERS[status];
  return reason ? `Answered ${status}: ${reason}.` : `Answered ${status}.`;
}

/** Probes the port, because an error does not tell why a connection failed. */
export async function describeFailure(
  { reaches }: Pick<Deps, "reaches">,
  url: string,
  { message }: Error,
): Promise<string> {
  const { protocol, hostname, port } = new URL(url);
  const isTls = protocol === "https:";
  const isOpen = await reaches(hostname, Number(port) || (isTls ? 443 : 80)).catch(() => null);
  if (isOpen === null) return "The connection failed.";
  const isLost = message.includes("Network connection lost");
  if (isOpen && isLost) return "The connection was closed before an answer.";
  if (isOpen) return isTls ? "The TLS handshake failed." : "The answer is not HTTP.";
  return isLost ? "The connection was refused." : "The name of the address was not found.";
}
