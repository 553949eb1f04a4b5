import * as z from "zod";
import { readJson } from "../kit/input.ts";
import { Refusal } from "../kit/refusal.ts";
import type { Call } from "../kit/simulator.ts";

interface Place {
  location: string;
  locationType: "parameter" | "header" | "other";
}

export function refusal(status: number, reason: string, message: string, place?: Place): Refusal {
  const domain = status === 401 || status === 404 ? "global" : "youtube.video";
  const detail = { domain, reason, message, ...place };
  return new Refusal(status, { error: { code: status, message, errors: [detail] } });
}

export const badParameter = (name: string, message: string, reason = "invalidParameter") =>
  refusal(400, reason, message, { location: name, locationType: "parameter" });

const COMMON = ["alt", "fields", "key", "prettyPrint", "quotaUser", "userIp"];

export function requireKnownParameters({ req }: Call, names: readonly string[]): void {
  for (const name of Object.keys(req.query())) {
    if (names.includes(name) || COMMON.includes(name)) continue;
    throw badParameter(
      name,
      `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter.`,
    );
  }
}

export function requireParts({ req }: Call, names: readonly string[]): string[] {
  const parts = (req.query("part") ?? "").split(",").filter(Boolean);
  if (parts.length === 0) {
    throw badParameter("part", "Required parameter: part", "missingRequiredParameter");
  }
  const unknown = parts.find((part) => !names.includes(part));
  if (unknown) throw badParameter("part", `'${unknown}'`, "unknownPart");
  return parts;
}

const notJson = () => refusal(400, "parseError", "Parse Error");

export const readObject = (call: Call): Promise<Record<string, unknown>> =>
  readJson(call, z.record(z.string(), z.unknown()), {
    maxBytes: 100_000,
    wrongType: (type) => refusal(400, "badContent", `Unsupported content with type: ${type}`),
    notJson,
    invalid: notJson,
  });
