import { AppError, type FieldError, invalidFields, notFound } from "../../core/errors.ts";
import type { Ctx } from "../../deps.ts";
import type { PoolRow } from "./table.ts";

/** Source: spec, "Errors": 400 VALIDATION with every refused field. */
export function invalid(errors: FieldError[]): AppError {
  const { message, extras } = invalidFields(errors);
  return new AppError("VALIDATION", message, { extras });
}

/** Turns only the error of a refused body into VALIDATION. */
export function asValidation(error: AppError): AppError {
  const { status, code, message, extras, headers } = error;
  if (status !== 400 || (code !== null && code !== "INVALID_JSON")) return error;
  const errors = extras.errors ?? [{ field: "body", message }];
  return new AppError("VALIDATION", message, { extras: { ...extras, errors }, headers });
}

export type FoundPool = PoolRow & { isOwn: boolean };

/** @throws AppError NOT_FOUND; FORBIDDEN for another team's pool */
export function requireOwn<P extends { isOwn: boolean }>(pool: P | undefined): P {
  if (!pool) throw notFound("Pool");
  if (!pool.isOwn) throw new AppError("FORBIDDEN", "This pool belongs to another team.");
  return pool;
}

/**
 * Source: spec, "Pool queue item". Spec is silent on slots, which are treated alike.
 *
 * @throws AppError FORBIDDEN for a member of a team that requires approval
 */
export function requireMayFill({ actor }: Ctx, requiresApproval: boolean): void {
  if (actor.role !== "MEMBER" || !requiresApproval) return;
  const message =
    "In this team posts of members need approval, so members cannot change what pools publish. Ask the owner or an admin.";
  throw new AppError("FORBIDDEN", message);
}
