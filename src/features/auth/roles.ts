import { AppError } from "../../core/errors.ts";
import type { Actor, Role } from "../../deps.ts";

/** @throws AppError FORBIDDEN with that message for anybody of another role */
export function requireOneOf({ role }: Actor, roles: readonly Role[], message: string): void {
  if (!roles.includes(role)) throw new AppError("FORBIDDEN", message);
}
