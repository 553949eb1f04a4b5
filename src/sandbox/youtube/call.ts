import * as z from "zod";
import { readJson } from "../kit/input.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";

interface Place {
  location: string;
  locationType: "parameter" | "header" | "other";
}

/** A refusal in the form of Google's APIs. */
export function refusal(status: number, reason: string, message: string, place?: Place): Refusal {
  const domain = status === 401 || status === 404 ? "global" : "youtube.video";
  const detail = { domain, reason, message, ...place };
  return new Refusal(status, { error: { code: status, message, errors: [detail] } });
}

export const badParameter = (name: string, message: string, reason = "invalidParameter") =>
  refusal(400, reason, message, { location: name, locationType: "parameter" });

/** Parameters that every method takes. */
const COMMON = ["alt", "fields", "key", "prettyPrint", "quotaUser", "userIp"];

/** @throws Refusal 400 for a parameter that the method does not have */
export function requireKnownParameters({ req }: Call, known: readonly string[]): void {
  for (const name of Object.keys(req.query())) {
    if (known.includes(name) || COMMON.includes(name)) continue;
    throw badParameter(
      name,
      `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter.`,
    );
  }
}

/** The parts that the call names: at least one, and all of them known. */
export function requireParts({ req }: Call, known: readonly string[]): string[] {
  const parts = (req.query("part") ?? "").split(",").filter(Boolean);
  if (parts.length === 0) {
    throw badParameter("part", "Required parameter: part", "missingRequiredParameter");
  }
  const unknown = parts.find((part) => !known.includes(part));
  if (unknown) throw badParameter("part", `'${unknown}'`, "unknownPart");
  return parts;
}

const notJson = () => refusal(400, "parseError", "Parse Error");

/** @throws Refusal 400 for what is no JSON object */
export const readObject = (call: Call): Promise<Record<string, unknown>> =>
  readJson(call, z.record(z.string(), z.unknown()), {
    // A title and a description of 5,000 bytes are the most of it.
    maxBytes: 100_000,
    wrongType: (type) => refusal(400, "badContent", `Unsupported content with type: ${type}`),
    notJson,
    invalid: notJson,
  });
