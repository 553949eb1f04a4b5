import { AppError } from "../../core/errors.ts";
import { SECOND } from "../../core/time.ts";
import type { Deps } from "../../deps.ts";

/** @see https://developers.cloudflare.com/1.1.1.1/encryption/dns-over-https/make-api-requests/dns-json/ */
const RESOLVER = "https://cloudflare-dns.com/dns-query";
const PATIENCE_MS = 10 * SECOND;

/** Record types, and the status of an unknown name. Source: IANA, "DNS Parameters". */
const TYPES = { TXT: 16, CNAME: 5 } as const;
const NO_SUCH_NAME = 3;

async function lookUp(
  deps: Pick<Deps, "fetch" | "log">,
  name: string,
  type: keyof typeof TYPES,
): Promise<string[]> {
  try {
    const url = `${RESOLVER}?name=${encodeURIComponent(name)}&type=${type}`;
    const headers = { Accept: "application/dns-json" };
    const response = await deps.fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    const { Status, Answer } = JSON.parse(await response.text()) as Record<string, unknown>;
    if (!response.ok || (Status !== 0 && Status !== NO_SUCH_NAME)) {
      throw new Error(`answered ${response.status}, status ${Status}`);
    }
    const records = (Array.isArray(Answer) ? Answer : []) as { type?: unknown; data?: unknown }[];
    return records.flatMap((record) =>
      record.type === TYPES[type] && typeof record.data === "string" ? [record.data] : [],
    );
  } catch (error) {
    deps.log({ event: "dns.unreachable", error: String(error) });
    throw new AppError("UNAVAILABLE", "DNS does not answer at the moment. Send the call again.", {
      headers: { "Retry-After": "30" },
    });
  }
}

/** Long texts arrive as several quoted strings. */
const textIn = (data: string): string => data.replace(/"\s*"/g, "").replace(/^"|"$/g, "");

const nameIn = (data: string): string => data.toLowerCase().replace(/\.$/, "");

export interface OwnershipRecord {
  txtName: string;
  txtValue: string;
}

interface Records extends OwnershipRecord {
  host: string;
  cnameTarget: string;
}

/** @throws AppError UNAVAILABLE when DNS fails */
export async function hasText(
  deps: Pick<Deps, "fetch" | "log">,
  { txtName, txtValue }: OwnershipRecord,
): Promise<boolean> {
  const texts = await lookUp(deps, txtName, "TXT");
  return texts.map(textIn).includes(txtValue);
}

/** @throws AppError UNAVAILABLE when DNS fails */
export async function missingRecords(
  deps: Pick<Deps, "fetch" | "log">,
  { host, txtName, txtValue, cnameTarget }: Records,
): Promise<string[]> {
  const [isOwned, targets] = await Promise.all([
    hasText(deps, { txtName, txtValue }),
    lookUp(deps, host, "CNAME"),
  ]);
  const missing: string[] = [];
  if (!isOwned) {
    missing.push(`a TXT record ${txtName} with the value ${txtValue}`);
  }
  if (!targets.map(nameIn).includes(cnameTarget)) {
    missing.push(`a CNAME record ${host} to ${cnameTarget}`);
  }
  return missing;
}
