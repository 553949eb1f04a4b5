import { readBody } from "../kit/input.ts";
import type { SimulatedCall } from "../kit/simulator.ts";
import type { SandboxStore } from "../kit/store.ts";

/** What an endpoint of the simulated API is given. */
export interface YouTubeCall extends SimulatedCall {
  store: SandboxStore;
}

interface Place {
  location: string;
  locationType: "parameter" | "header" | "other";
}

/** A refusal in the form of Google's APIs. */
export class YouTubeError extends Error {
  readonly status: number;
  readonly reason: string;
  readonly place: Place | null;

  constructor(status: number, reason: string, message: string, place: Place | null = null) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.place = place;
  }

  toResponse(): Response {
    const { status, reason, message } = this;
    const domain = status === 401 || status === 404 ? "global" : "youtube.video";
    const detail = { domain, reason, message, ...this.place };
    return Response.json({ error: { code: status, message, errors: [detail] } }, { status });
  }
}

export const badParameter = (name: string, message: string, reason = "invalidParameter") =>
  new YouTubeError(400, reason, message, { location: name, locationType: "parameter" });

/** Parameters that every method takes. */
const COMMON = ["alt", "fields", "key", "prettyPrint", "quotaUser", "userIp"];

/** @throws YouTubeError 400 for a parameter that the method does not have */
export function requireKnownParameters({ url }: YouTubeCall, known: readonly string[]): void {
  for (const name of url.searchParams.keys()) {
    if (known.includes(name) || COMMON.includes(name)) continue;
    throw badParameter(
      name,
      `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter.`,
    );
  }
}

/** The parts that the call names: at least one, and all of them known. */
export function requireParts({ url }: YouTubeCall, known: readonly string[]): string[] {
  const parts = (url.searchParams.get("part") ?? "").split(",").filter(Boolean);
  if (parts.length === 0) {
    throw badParameter("part", "Required parameter: part", "missingRequiredParameter");
  }
  const unknown = parts.find((part) => !known.includes(part));
  if (unknown) throw badParameter("part", `'${unknown}'`, "unknownPart");
  return parts;
}

/** A title and a description of 5,000 bytes are the most of it. */
const MAX_JSON_BYTES = 100_000;

/** @throws YouTubeError 400 for what is no JSON object */
export async function readJson({ request }: YouTubeCall): Promise<Record<string, unknown>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new YouTubeError(400, "badContent", `Unsupported content with type: ${type}`);
  }
  const bytes = await readBody(request, MAX_JSON_BYTES);
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
    const body: unknown = JSON.parse(decoder.decode(bytes ?? undefined));
    if (typeof body === "object" && body !== null && !Array.isArray(body)) {
      return body as Record<string, unknown>;
    }
  } catch {
    // Told below.
  }
  throw new YouTubeError(400, "parseError", "Parse Error");
}
