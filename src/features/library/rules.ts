import { formatBytes } from "../../core/counts.ts";
import { AppError } from "../../core/errors.ts";

export const MEDIA_KINDS = ["image", "video", "document"] as const;

/** Posts and items that an answer names. */
export const MAX_USES = 50;

const GB = 1_000_000_000;

/** Source: Cloudflare R2, "Pricing", standard storage: US dollars for a gigabyte and month. */
const DOLLARS_PER_GB_MONTH = 0.015;
/** Of the whole account. Source: as above. */
const FREE_GB = 10;

/** US dollars. */
export const monthlyCostOf = (bytes: number): number =>
  Math.max(0, bytes / GB - FREE_GB) * DOLLARS_PER_GB_MONTH;

export const storagePrice = `$${DOLLARS_PER_GB_MONTH} per GB and month after ${FREE_GB} GB free`;

/** @throws AppError PLAN_LIMIT */
export function refuseKeeping(sizeBytes: number, used: number, allowance: number | null): never {
  const message = `The file has ${formatBytes(sizeBytes)}, and the team keeps ${formatBytes(used)} of the ${formatBytes(allowance ?? 0)} that its plan includes. Stop keeping other files, or take a larger plan.`;
  throw new AppError("PLAN_LIMIT", message, { extras: { kept: { used, allowance } } });
}
